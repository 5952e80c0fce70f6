/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The slow path of trampolines, if the thread is already inside or has no reader yet. */
#include "arch/arch.h"
#include "quiesce/quiesce.h"
#include "types/call.h"
#include "types/set.h"

static int is_set(patchbay_handler enter)
{
	return enter == pb_set_call_fast || enter == pb_arch_enter_set ||
	       pb_call_is_of_set(enter);
}

/* Count a call in a handler as missed. @enter: cell->enter, loaded once: it may change. */
static void count_missed_entry(const struct patchbay_cell *cell, patchbay_handler enter)
{
	const struct pb_set *set;

	/* The cell may have no tracer. */
	if (enter == pb_enter_nothing)
		return;
	if (!is_set(enter)) {
		pb_miss(cell);
		return;
	}
	set = __atomic_load_n(&cell->set, __ATOMIC_ACQUIRE);
	for (size_t i = 0; i < set->nr; i++) {
		const struct patchbay_cell *member = &set->cells[i];

		/* Skip disabled tracers, and the member of pb_set_nobody, which is no tracer. */
		if (member->func != pb_enter_nothing ||
		    (member->exit && member->exit != pb_enter_nothing))
			pb_miss(member);
	}
}

int pb_enter_slowly(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *const *slot,
		    struct patchbay_regs *regs)
{
	struct pb_reader *self;
	const enum pb_entry entry = pb_thread_enter(regs, regs + 1, &self);
	const struct patchbay_cell *cell;
	patchbay_handler enter;
	int again = 0;

	if (entry == PB_NOT_ENTERED)
		return 0;
	cell = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	if (pb_is_gate(cell))
		cell = pb_gate_find(cell, ip);
	enter = __atomic_load_n(&cell->enter, __ATOMIC_ACQUIRE);
	if (entry == PB_ENTERED_TO_MISS) {
		count_missed_entry(cell, enter);
	} else if (pb_call_is_of_one(enter) || pb_call_is_of_set(enter)) {
		again = 1; /* only the trampoline can call the body */
	} else {
		/*
		 * The caller has saved the vector arguments, so call the function that does not
		 * save them again. If a handler changes the saved arguments, the traced function
		 * receives the new values.
		 */
		if (enter == pb_arch_enter_any)
			enter = __atomic_load_n(&cell->func, __ATOMIC_RELAXED);
		else if (is_set(enter))
			enter = pb_set_call;
		enter(ip, parent_ip, cell, regs);
	}
	pb_thread_leave(self, entry);
	return again;
}
