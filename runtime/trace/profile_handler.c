/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* On its own because it is compiled with -mgeneral-regs-only. */
#include "profile.h"

void pb_profile_call(uintptr_t ip, uintptr_t parent_ip,
		     const struct patchbay_cell *cell,
		     struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)regs;
	__atomic_fetch_add((uint64_t *)cell->data, 1, __ATOMIC_RELAXED);
}
