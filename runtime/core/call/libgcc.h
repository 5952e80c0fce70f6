/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions of libgcc_s.so.1, which libpatchbay.so is linked with, even if other objects
 * interpose them. libpatchbay.a does not have this function: there the linker has bound
 * all names to one unwinder.
 */
#ifndef PB_CORE_LIBGCC_H
#define PB_CORE_LIBGCC_H

#include <stddef.h>

/* Fill in @address: NULL for an unknown name. Returns 0 if the library is not loaded. */
int pb_libgcc_look_up(const char *const *names, void **address, size_t nr)
	__attribute__((weak));

#endif /* PB_CORE_LIBGCC_H */
