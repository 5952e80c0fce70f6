/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What trampolines call when it is not simply a handler. */
#include "arch.h"
#include "call.h"
#include "enter.h"
#include "hardened.h"
#include "missed.h"
#include "quiesce.h"
#include "set.h"
#include "shared.h"
#include "tracer.h"

static int may_call(patchbay_handler func)
{
	return func && (!pb_hardened || pb_hardened_is_handler(func));
}

static int is_set(patchbay_handler enter)
{
	return enter == pb_set_call_fast || enter == pb_arch_enter_set ||
	       pb_call_is_of_set(enter);
}

static int is_sound_member(const struct patchbay_cell *cell)
{
	patchbay_handler exit = __atomic_load_n(&cell->exit, __ATOMIC_RELAXED);

	return may_call(__atomic_load_n(&cell->func, __ATOMIC_RELAXED)) &&
	       (!exit || may_call(exit));
}

static int is_sound_list(const struct pb_set *set,
			 const struct patchbay_cell *const *at)
{
	size_t nr = 0;

	while (nr < set->nr && at[nr] && pb_set_has(set, at[nr]))
		nr++;
	return nr && !at[nr];
}

static int is_sound_set(const struct pb_set *set)
{
	if (!set || !set->nr)
		return 0;
	if (!pb_hardened)
		return 1;
	for (size_t i = 0; i < set->nr; i++)
		if (!is_sound_member(&set->cells[i]))
			return 0;
	return is_sound_list(set, set->entries) &&
	       is_sound_list(set, set->exits);
}

/*
 * Cells and sets are in ordinary memory, which faults of a program may have
 * overwritten. There is time to look here: what makes no sense is not called.
 */
static int is_sound(const struct patchbay_cell *cell, patchbay_handler enter)
{
	if (enter == pb_arch_enter_any || pb_call_is_of_one(enter))
		return is_sound_member(cell);
	if (!is_set(enter))
		return may_call(enter);
	return is_sound_set(__atomic_load_n(&cell->set, __ATOMIC_ACQUIRE));
}

/*
 * From within a handler those may be called that may interrupt themselves, and
 * call nothing that is traced.
 */
static int may_enter(const struct patchbay_ops *ops, enum pb_nesting nesting)
{
	return nesting == PB_NESTING_FREE ||
	       (nesting == PB_NESTING_NESTED &&
		(ops->attr.flags &
		 (PATCHBAY_OPS_FAST | PATCHBAY_OPS_RECURSION)) ==
			PATCHBAY_OPS_FAST);
}

/*
 * Called where there can be no exit, and perhaps from within a handler or by a
 * signal handler that interrupted one: then only handlers that may nest.
 */
static void enter_member(uintptr_t ip, uintptr_t parent_ip,
			 const struct patchbay_cell *member,
			 struct patchbay_regs *regs, enum pb_nesting nesting)
{
	/* Disabled, or the one of pb_set_nobody, which has no tracer. */
	if (member->func == pb_enter_nothing &&
	    (!member->exit || member->exit == pb_enter_nothing))
		return;
	if (member->exit || !may_enter(member->ops, nesting))
		pb_miss(member);
	else
		member->func(ip, parent_ip, member, regs);
}

/* @enter as it was read: the cell may be changing. */
static void enter_restricted(uintptr_t ip, uintptr_t parent_ip,
			     const struct patchbay_cell *cell,
			     struct patchbay_regs *regs,
			     patchbay_handler enter, enum pb_nesting nesting)
{
	const struct pb_set *set;

	/* Then the cell need not be anybody's. */
	if (enter == pb_enter_nothing)
		return;
	if (!is_set(enter)) {
		if (enter == pb_arch_enter_any || pb_call_is_of_one(enter) ||
		    !may_enter(cell->ops, nesting))
			pb_miss(cell);
		else
			enter(ip, parent_ip, cell, regs);
		return;
	}
	set = __atomic_load_n(&cell->set, __ATOMIC_ACQUIRE);
	for (size_t i = 0; i < set->nr; i++)
		enter_member(ip, parent_ip, &set->cells[i], regs, nesting);
}

/*
 * Vector arguments have been saved on the way here: what handlers change of them
 * there is what the function receives. They are not saved again.
 */
static void enter_saved(uintptr_t ip, uintptr_t parent_ip,
			const struct patchbay_cell *cell,
			struct patchbay_regs *regs, patchbay_handler enter)
{
	if (enter == pb_arch_enter_any)
		enter = __atomic_load_n(&cell->func, __ATOMIC_RELAXED);
	else if (is_set(enter))
		enter = pb_set_call;
	enter(ip, parent_ip, cell, regs);
}

/* The trampolines' way for a thread that is not simply outside (quiesce.h). */
int pb_enter_slowly(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *const *slot,
		    struct patchbay_regs *regs)
{
	int has_exit, again = 0;
	enum pb_nesting nesting;
	uint64_t token = pb_thread_enter(regs, regs + 1, &nesting);
	const struct patchbay_cell *cell = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	patchbay_handler enter;

	if (pb_is_gate(cell))
		cell = pb_gate_find(cell, ip);
	enter = __atomic_load_n(&cell->enter, __ATOMIC_ACQUIRE);
	/* Back in the trampoline only PB_THREAD_OUTSIDE lets the body be called. */
	has_exit = pb_call_is_of_one(enter) || pb_call_is_of_set(enter);
	if (!is_sound(cell, enter))
		;
	else if (has_exit && token == PB_THREAD_OUTSIDE)
		again = 1;
	else if (nesting != PB_NESTING_FREE || has_exit)
		enter_restricted(ip, parent_ip, cell, regs, enter, nesting);
	else
		enter_saved(ip, parent_ip, cell, regs, enter);
	pb_thread_leave(token);
	return again;
}
