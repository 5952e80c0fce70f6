/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that stand in for the C library's, and call it. */
#ifndef PB_TRACE_WRAP_H
#define PB_TRACE_WRAP_H

#include <dlfcn.h>

/*
 * @real has a pointer for each function, of its name. They are looked for in a
 * constructor, before anybody calls them, and again if they belong to a library that
 * was loaded later.
 */
#define PB_FIND(name)                                                          \
	(real.name = (__typeof__(real.name))dlsym(RTLD_NEXT, #name))
#define PB_REAL(name) (real.name ? real.name : PB_FIND(name))

#define PB_PUBLIC __attribute__((visibility("default")))

#endif /* PB_TRACE_WRAP_H */
