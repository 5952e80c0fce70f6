/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* On its own because it is compiled for general registers only. */
#include "set.h"

#include "arch.h"

/*
 * A set is never empty. The last handler is called in our place and returns to
 * where we would: what a short set costs is little but its branches.
 */
static inline void walk(const struct pb_set *set, uintptr_t ip,
			uintptr_t parent_ip, struct patchbay_regs *regs)
{
	const struct patchbay_cell *member = set->cells;

	for (size_t more = set->nr - 1; more; more--, member++)
		__atomic_load_n(&member->func, __ATOMIC_RELAXED)(
			ip, parent_ip, member, regs);
	__atomic_load_n(&member->func, __ATOMIC_RELAXED)(ip, parent_ip, member,
							 regs);
}

void pb_set_call(uintptr_t ip, uintptr_t parent_ip,
		 const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	walk(__atomic_load_n(&cell->set, __ATOMIC_ACQUIRE), ip, parent_ip,
	     regs);
}

void pb_set_call_fast(uintptr_t ip, uintptr_t parent_ip,
		      const struct patchbay_cell *cell,
		      struct patchbay_regs *regs)
{
	const struct pb_set *set = __atomic_load_n(&cell->set, __ATOMIC_ACQUIRE);

	if (set->fast)
		walk(set, ip, parent_ip, regs);
	else
		pb_arch_enter_set(ip, parent_ip, cell, regs);
}
