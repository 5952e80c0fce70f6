/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Declarations for the ways in which a loop calls hot_callee(), defined in hot_key.c,
 * hot_pointer.c and hot_tramp.c.
 */
#ifndef BENCH_HOT_FORM_H
#define BENCH_HOT_FORM_H

#include <patchbay/static_call.h>

typedef unsigned int hot_function(unsigned int x);

extern hot_function hot_callee;
extern hot_function *hot_pointer;
DECLARE_STATIC_CALL(hot, hot_function);

#endif /* BENCH_HOT_FORM_H */
