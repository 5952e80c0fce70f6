/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* On its own because it is compiled for general registers only. */
#include "set.h"

void pb_set_call(uintptr_t ip, uintptr_t parent_ip,
		 const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	const struct pb_set *set = __atomic_load_n(&cell->set, __ATOMIC_ACQUIRE);
	const struct patchbay_cell *member = set->cells;
	const struct patchbay_cell *end = member + set->nr;

	for (; member < end; member++)
		member->func(ip, parent_ip, member, regs);
}
