/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What trampolines call when it is not simply a handler. */
#include "arch.h"
#include "engine.h"
#include "enter.h"
#include "hardened.h"
#include "quiesce.h"
#include "set.h"

/* A handler that is not called because it might be running. */
static void miss(const struct patchbay_cell *cell)
{
	__atomic_fetch_add(&cell->ops->missed, 1, __ATOMIC_RELAXED);
}

static int may_call(patchbay_handler func)
{
	return func && (!pb_hardened || pb_hardened_is_handler(func));
}

/*
 * Cells and sets are in ordinary memory, which faults of a program may have
 * overwritten. There is time to look here: what makes no sense is not called.
 */
static int is_sound(const struct patchbay_cell *cell, patchbay_handler enter)
{
	const struct pb_set *set;

	if (enter == pb_arch_enter_any)
		return may_call(__atomic_load_n(&cell->func, __ATOMIC_RELAXED));
	if (enter != pb_set_call_fast && enter != pb_arch_enter_set)
		return may_call(enter);
	set = __atomic_load_n(&cell->set, __ATOMIC_ACQUIRE);
	if (!set || !set->nr)
		return 0;
	for (size_t i = 0; pb_hardened && i < set->nr; i++)
		if (!may_call(__atomic_load_n(&set->cells[i].func,
					      __ATOMIC_RELAXED)))
			return 0;
	return 1;
}

/*
 * Called from within a handler, or by a signal handler that interrupted one:
 * only FAST handlers, which call nothing that is traced and so cannot recurse.
 */
static void enter_nested(uintptr_t ip, uintptr_t parent_ip,
			 const struct patchbay_cell *cell,
			 struct patchbay_regs *regs, patchbay_handler enter)
{
	const struct pb_set *set;

	/* @enter as it was read: the cell may be changing. */
	if (enter == pb_arch_enter_any) {
		miss(cell);
		return;
	}
	if (enter != pb_set_call_fast && enter != pb_arch_enter_set) {
		enter(ip, parent_ip, cell, regs);
		return;
	}
	set = __atomic_load_n(&cell->set, __ATOMIC_ACQUIRE);
	for (size_t i = 0; i < set->nr; i++) {
		const struct patchbay_cell *member = &set->cells[i];
		patchbay_handler func =
			__atomic_load_n(&member->func, __ATOMIC_RELAXED);

		if (func == pb_enter_nothing)
			continue;
		if (member->ops->attr.flags & PATCHBAY_OPS_FAST)
			func(ip, parent_ip, member, regs);
		else
			miss(member);
	}
}

/* The trampolines' way for a thread that is not simply outside (quiesce.h). */
void pb_enter_slowly(uintptr_t ip, uintptr_t parent_ip,
		     const struct patchbay_cell *const *slot,
		     struct patchbay_regs *regs)
{
	int nested;
	uint64_t token = pb_thread_enter(&nested);
	const struct patchbay_cell *cell = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	patchbay_handler enter = __atomic_load_n(&cell->enter, __ATOMIC_ACQUIRE);

	if (!is_sound(cell, enter))
		;
	else if (nested)
		enter_nested(ip, parent_ip, cell, regs, enter);
	else
		enter(ip, parent_ip, cell, regs);
	pb_thread_leave(token);
}
