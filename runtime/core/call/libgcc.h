/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions of libgcc_s.so.1, which libpatchbay.so is linked with, even if others
 * interpose them. libpatchbay.a has no such function: the linker of its program has
 * bound its names to one unwinder.
 */
#ifndef PB_CORE_LIBGCC_H
#define PB_CORE_LIBGCC_H

#include <stddef.h>

/* Fill in @address, NULL for a name that is not there. Returns 0 without the library. */
int pb_libgcc_look_up(const char *const *names, void **address, size_t nr)
	__attribute__((weak));

#endif /* PB_CORE_LIBGCC_H */
