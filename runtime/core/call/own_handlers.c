/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The library's own handlers. Compiled for general registers only. */
#include "types/set.h"

#include "quiesce/open_calls.h"
#include "system/private.h"
#include "types/tracer.h"

#include <patchbay/exit.h>

void pb_private_count_open_call(int change)
{
	pb_thread.open_calls += change;
}

void pb_timed_entry(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell,
		    struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	pb_thread.open_calls++;
	*patchbay_session_word(cell, regs) = patchbay_clock();
}

void pb_timed_exit(uintptr_t ip, uintptr_t parent_ip,
		   const struct patchbay_cell *cell,
		   struct patchbay_regs *regs)
{
	uint64_t end = patchbay_clock();
	uint64_t start = *patchbay_session_word(cell, regs);
	uint64_t duration = patchbay_ticks(start, end);
	const struct patchbay_ops_attr *attr = &cell->ops->attr;

	if (duration >= __atomic_load_n(&cell->ops->threshold, __ATOMIC_RELAXED)) {
		patchbay_call(regs)->duration = duration;
		__atomic_load_n(&attr->exit, __ATOMIC_RELAXED)(ip, parent_ip, cell, regs);
	}
	/* After the handler: open_calls.h has the reason. */
	pb_thread.open_calls--;
}

void patchbay_ops_set_threshold(struct patchbay_ops *ops, uint64_t ticks)
{
	__atomic_store_n(&ops->threshold, ticks, __ATOMIC_RELAXED);
}

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
