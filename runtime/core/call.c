/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compiled for general registers only. */
#include "call.h"

#include "engine.h"
#include "enter.h"
#include "set.h"

static struct patchbay_regs *regs_of(struct patchbay_call *call)
{
	return (struct patchbay_regs *)(call + 1);
}

/* Of a tracer that has no handler to call at the entry. */
static int is_disabled(const struct patchbay_cell *member)
{
	return member->ops->attr.handler ||
	       __atomic_load_n(&member->exit, __ATOMIC_RELAXED) ==
		       pb_enter_nothing;
}

/*
 * Tracers that are disabled at the moment are not called, and not at the exit
 * either, even if they are enabled by then. @told is of all @nr, of which there
 * is one at least; it is kept in a register, since a handler might write to @call
 * for all that the compiler knows.
 */
static inline void call_entries(struct patchbay_call *call,
				const struct patchbay_cell *member, size_t nr,
				uint64_t told)
{
	do {
		patchbay_handler func =
			__atomic_load_n(&member->func, __ATOMIC_RELAXED);

		if (func != pb_enter_nothing)
			func(call->ip, call->parent_ip, member, regs_of(call));
		else if (member->exit && is_disabled(member))
			told &= ~pb_call_bit(member);
		member++;
	} while (--nr);
	call->told = told;
}

static __attribute__((noinline)) uint64_t enter_one(struct patchbay_call *call)
{
	const struct patchbay_cell *cell = pb_call_cell(call);

	call->since = cell->since & PATCHBAY_CELL_SINCE;
	call_entries(call, cell, 1, pb_call_bit(cell));
	return cell->record->stack_arg_words;
}

uint64_t pb_call_entry(struct patchbay_call *call)
{
	const struct pb_set *set = call->set;

	if (!set)
		return enter_one(call);
	call->since = set->since;
	call_entries(call, set->cells, set->nr, set->told);
	/* Not of the set: it may be pb_set_nobody, which has no function. */
	return pb_call_cell(call)->record->stack_arg_words;
}

static void call_exit(struct patchbay_call *call,
		      const struct patchbay_cell *member)
{
	patchbay_handler exit =
		__atomic_load_n(&member->exit, __ATOMIC_RELAXED);

	if (exit)
		exit(call->ip, call->parent_ip, member, regs_of(call));
}

/* Who was told of the entry, and is armed since then. */
static void call_own_exit(struct patchbay_call *call,
			  const struct patchbay_cell *member)
{
	if (call->told & pb_call_bit(member) &&
	    (member->since & PATCHBAY_CELL_SINCE) <= call->since)
		call_exit(call, member);
}

/* What the cell says now: it need not be what it said at the entry. */
static __attribute__((noinline)) void leave_any(struct patchbay_call *call,
						const struct patchbay_cell *cell)
{
	patchbay_handler enter = __atomic_load_n(&cell->enter, __ATOMIC_ACQUIRE);
	const struct pb_set *set;

	if (pb_call_is_of_one(enter)) {
		call_own_exit(call, cell);
	} else if (pb_call_is_of_set(enter)) {
		set = __atomic_load_n(&cell->set, __ATOMIC_ACQUIRE);
		for (size_t i = set->nr; i-- > 0;)
			call_own_exit(call, &set->cells[i]);
	}
}

/*
 * Are the exits of @set, which the cell has now, just those that were told of
 * the entry? Then there is nothing to ask each of them, which is most of what
 * the way here would cost.
 */
static int is_as_entered(const struct patchbay_call *call,
			 const struct patchbay_cell *cell,
			 const struct pb_set *set)
{
	return set && call->told == set->told && set->since <= call->since &&
	       __atomic_load_n(&cell->enter, __ATOMIC_ACQUIRE) == set->enter;
}

void pb_call_exit(struct patchbay_call *call)
{
	const struct patchbay_cell *cell = pb_call_cell(call), *member;
	const struct pb_set *set = __atomic_load_n(&cell->set, __ATOMIC_ACQUIRE);

	if (!is_as_entered(call, cell, set)) {
		leave_any(call, cell);
		return;
	}
	member = set->cells + set->nr;
	do
		call_exit(call, --member);
	while (member != set->cells);
}
