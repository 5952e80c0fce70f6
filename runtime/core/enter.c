/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What trampolines call when it is not simply a handler. */
#include "arch.h"
#include "enter.h"
#include "quiesce.h"
#include "set.h"

/* What a cell calls while its function is not armed. */
void pb_enter_nothing(uintptr_t ip, uintptr_t parent_ip,
			  const struct patchbay_cell *cell,
			  struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
}

/*
 * Called from within a handler, or by a signal handler that interrupted one:
 * only FAST handlers, which call nothing that is traced and so cannot recurse.
 */
static void enter_nested(uintptr_t ip, uintptr_t parent_ip,
			 const struct patchbay_cell *cell,
			 struct patchbay_regs *regs)
{
	patchbay_handler enter = __atomic_load_n(&cell->enter, __ATOMIC_ACQUIRE);
	const struct patchbay_cell *cells = cell;
	size_t nr = 0;

	if (enter == pb_set_call || enter == pb_arch_enter_set) {
		const struct pb_set *set =
			__atomic_load_n(&cell->set, __ATOMIC_ACQUIRE);

		cells = set->cells;
		nr = set->nr;
	}
	if (cells == cell) {
		/* @enter as it was read: the cell may be changing. */
		if (enter != pb_arch_enter_any)
			enter(ip, parent_ip, cell, regs);
		return;
	}
	for (size_t i = 0; i < nr; i++)
		if (cells[i].enter != pb_arch_enter_any)
			cells[i].func(ip, parent_ip, &cells[i], regs);
}

/* The trampolines' way for a thread that is not simply outside (quiesce.h). */
void pb_enter_slowly(uintptr_t ip, uintptr_t parent_ip,
		     const struct patchbay_cell *const *slot,
		     struct patchbay_regs *regs)
{
	int nested;
	uint64_t token = pb_thread_enter(&nested);
	const struct patchbay_cell *cell = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

	if (nested)
		enter_nested(ip, parent_ip, cell, regs);
	else
		__atomic_load_n(&cell->enter, __ATOMIC_ACQUIRE)(ip, parent_ip,
								cell, regs);
	pb_thread_leave(token);
}
