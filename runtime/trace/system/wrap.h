/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Helpers for wrappers: functions that replace C library functions and call the originals.
 */
#ifndef PB_TRACE_WRAP_H
#define PB_TRACE_WRAP_H

#include <dlfcn.h>

/*
 * @real is a structure with a pointer for each original function, of the same name. A
 * constructor looks up all functions before the program can call them. If a library was not
 * loaded at that time, PB_REAL() looks up its functions later.
 */
#define PB_FIND(name)                                                          \
	(real.name = (__typeof__(real.name))dlsym(RTLD_NEXT, #name))
#define PB_REAL(name) (real.name ? real.name : PB_FIND(name))

#define PB_PUBLIC __attribute__((visibility("default")))

#endif /* PB_TRACE_WRAP_H */
