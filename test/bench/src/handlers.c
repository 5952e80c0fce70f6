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
