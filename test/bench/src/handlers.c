/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "handlers.h"

uint64_t counted_calls;

void count_call(uintptr_t ip, uintptr_t parent_ip,
		const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip, (void)parent_ip, (void)cell, (void)regs;
	counted_calls++;
}

void ignore_call(uintptr_t ip, uintptr_t parent_ip,
		 const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip, (void)parent_ip, (void)cell, (void)regs;
}

void answer_call(uintptr_t ip, uintptr_t parent_ip,
		 const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip, (void)parent_ip, (void)cell;
	counted_calls++;
	*patchbay_result_gp(regs, 0) = *patchbay_regs_gp(regs, 0) + 1;
	patchbay_skip_body(regs);
}
