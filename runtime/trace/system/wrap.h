/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For functions that replace those of the C library and call them. */
#ifndef PB_TRACE_WRAP_H
#define PB_TRACE_WRAP_H

#include <dlfcn.h>

/*
 * @real is a structure with a pointer for each function, of the same name. A
 * constructor looks up all functions, before they can be called. If a function
 * was not found, because its library was not loaded yet, PB_REAL() looks it up.
 */
#define PB_FIND(name)                                                          \
	(real.name = (__typeof__(real.name))dlsym(RTLD_NEXT, #name))
#define PB_REAL(name) (real.name ? real.name : PB_FIND(name))

#define PB_PUBLIC __attribute__((visibility("default")))

#endif /* PB_TRACE_WRAP_H */
