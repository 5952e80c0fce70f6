/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shared by the tests of links. */
#ifndef LINK_H
#define LINK_H

#include "check.h"

#include <patchbay/link.h>

#define NOT_TRACED __attribute__((no_profile_instrument_function))

/* Declares a program for a tracer with PATCHBAY_OPS_FAST. */
#define PROGRAM(name)                                                          \
	NOT_TRACED GENERAL_REGS static void name(                              \
		uintptr_t ip, uintptr_t parent_ip,                             \
		const struct patchbay_cell *cell, struct patchbay_regs *regs)

#define UNUSED_CONTEXT                                                         \
	((void)ip, (void)parent_ip, (void)cell, (void)regs)

#endif /* LINK_H */
