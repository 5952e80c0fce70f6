/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handlers that do nothing. */
#include "types/set.h"

#include <patchbay/exit.h>

void pb_enter_nothing(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
}

void patchbay_no_exit(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs)
{
	pb_enter_nothing(ip, parent_ip, cell, regs);
}
