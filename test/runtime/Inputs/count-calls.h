/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A handler that counts calls, for tests that need no other handler. */
#ifndef COUNT_CALLS_H
#define COUNT_CALLS_H

#include <patchbay/patchbay.h>

static _Atomic long calls;

__attribute__((no_profile_instrument_function)) static void
handler(uintptr_t ip, uintptr_t parent_ip, const struct patchbay_cell *cell,
	struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	calls++;
}

#endif /* COUNT_CALLS_H */
