/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that replace the C library's, and call it. */
#ifndef PB_TRACE_WRAP_H
#define PB_TRACE_WRAP_H

#include <dlfcn.h>

/*
 * @real has a pointer for each function, with its name. A constructor looks
 * them up before any caller runs. A function of a library that was loaded later
 * is looked up when it is called.
 */
#define PB_FIND(name)                                                          \
	(real.name = (__typeof__(real.name))dlsym(RTLD_NEXT, #name))
#define PB_REAL(name) (real.name ? real.name : PB_FIND(name))

#define PB_PUBLIC __attribute__((visibility("default")))

#endif /* PB_TRACE_WRAP_H */
