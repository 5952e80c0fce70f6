/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* On its own because it is compiled for general registers only. */
#include "nothing.h"

void pb_link_nothing(uintptr_t ip, uintptr_t parent_ip,
		     const struct patchbay_cell *cell,
		     struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
}
