/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compiled for general registers only. */
#include "call.h"

#include "engine.h"
#include "enter.h"
#include "set.h"

#define WORDS_OF_FRAME 1

static struct patchbay_regs *regs_of(struct patchbay_call *call)
{
	return (struct patchbay_regs *)(call + 1);
}

/* The function's slot leads to the same cell as long as it has been armed. */
static const struct patchbay_cell *cell_of(const struct patchbay_call *call)
{
	return *(const struct patchbay_cell **)(call->ip +
						(uintptr_t)PATCHBAY_SLOT_OFFSET);
}

size_t pb_call_begin(struct patchbay_call *call)
{
	const struct pb_set *set = call->set;
	size_t more;

	call->since = (set ? set->since : cell_of(call)->since) &
		      PATCHBAY_CELL_SINCE;
	call->told = 0;
	if (!set || set->words <= WORDS_OF_FRAME)
		return 0;
	more = set->words - WORDS_OF_FRAME;
	return (more + (more & 1)) * sizeof(uint64_t);
}

/* Which bit of @told is of @member, if it has an exit. */
static uint64_t bit_of(const struct patchbay_cell *member)
{
	return 1ull << (member->since & PATCHBAY_CELL_WORD);
}

/*
 * Tracers that are disabled at the moment are not called, and not at the exit
 * either, even if they are enabled by then.
 */
static void call_entry(struct patchbay_call *call,
		       const struct patchbay_cell *member)
{
	patchbay_handler func =
		__atomic_load_n(&member->func, __ATOMIC_RELAXED);
	patchbay_handler exit =
		__atomic_load_n(&member->exit, __ATOMIC_RELAXED);
	int called = func != pb_enter_nothing;

	if (called)
		func(call->ip, call->parent_ip, member, regs_of(call));
	else
		called = exit != pb_enter_nothing && !member->ops->attr.handler;
	if (exit && called)
		call->told |= bit_of(member);
}

uint64_t pb_call_entry(struct patchbay_call *call)
{
	const struct pb_set *set = call->set;

	if (!set)
		call_entry(call, cell_of(call));
	for (size_t i = 0; set && i < set->nr; i++)
		call_entry(call, &set->cells[i]);
	return cell_of(call)->record->stack_arg_words;
}

static void call_exit(struct patchbay_call *call,
		      const struct patchbay_cell *member)
{
	patchbay_handler exit =
		__atomic_load_n(&member->exit, __ATOMIC_RELAXED);

	if (exit && call->told & bit_of(member) &&
	    (member->since & PATCHBAY_CELL_SINCE) <= call->since)
		exit(call->ip, call->parent_ip, member, regs_of(call));
}

/* What the cell says now: it need not be what it said at the entry. */
void pb_call_exit(struct patchbay_call *call)
{
	const struct patchbay_cell *cell = cell_of(call);
	patchbay_handler enter = __atomic_load_n(&cell->enter, __ATOMIC_ACQUIRE);
	const struct pb_set *set;

	if (pb_call_is_of_one(enter)) {
		call_exit(call, cell);
	} else if (pb_call_is_of_set(enter)) {
		set = __atomic_load_n(&cell->set, __ATOMIC_ACQUIRE);
		for (size_t i = set->nr; i-- > 0;)
			call_exit(call, &set->cells[i]);
	}
}
