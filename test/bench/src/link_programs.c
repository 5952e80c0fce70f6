/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "link_programs.h"

#include "handlers.h"

#include <patchbay/link.h>

void answer(uintptr_t ip, uintptr_t parent_ip, const struct patchbay_cell *cell,
	    struct patchbay_regs *regs)
{
	(void)ip, (void)parent_ip;
	patchbay_override_return(regs, patchbay_get_func_arg(cell, regs, 0) + 1);
}

void count_and_answer(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs)
{
	counted_calls++;
	answer(ip, parent_ip, cell, regs);
}
