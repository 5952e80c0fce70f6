/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls the handlers at the entry and the exit of a call. Compiled for general registers only:
 * vector registers may hold arguments or results.
 */
#include "types/call.h"

#include "types/set.h"

static struct patchbay_regs *regs_of(struct patchbay_call *call)
{
	return (struct patchbay_regs *)(call + 1);
}

/*
 * Returns the member for the tracer that @cell->ops names: the cell itself, if that is the
 * only tracer. If the cell has got a set since the thread entered it, returns the tracer's
 * member of the set. Returns NULL if the tracer is no member, or was disarmed and armed again
 * with other data.
 */
static const struct patchbay_cell *own_of(const struct patchbay_cell *cell)
{
	const struct pb_set *set = __atomic_load_n(&cell->set, __ATOMIC_ACQUIRE);

	/* pb_set_nobody: the cell is being disarmed, and cell->enter changes next. */
	if (!set || set == &pb_set_nobody)
		return cell;
	for (size_t i = 0; i < set->nr; i++)
		if (set->cells[i].ops == cell->ops &&
		    set->cells[i].data == cell->data)
			return &set->cells[i];
	return NULL;
}

static __attribute__((noinline)) uint64_t
enter_one(struct patchbay_call *call, const struct patchbay_cell *cell)
{
	/* Load @since before the set: if @since belongs to a set, own_of() finds a set. */
	uint64_t since = __atomic_load_n(&cell->since, __ATOMIC_ACQUIRE);
	const struct patchbay_cell *own = own_of(cell);

	if (own != cell)
		since = own ? own->since : 0;
	call->since = pb_call_number(since);
	call->told = pb_call_bit(cell);
	__atomic_load_n(&cell->func, __ATOMIC_RELAXED)(
		call->ip, call->parent_ip, cell, regs_of(call));
	return cell->record->stack_arg_words;
}

uint64_t pb_call_entry(struct patchbay_call *call,
		       const struct patchbay_cell *cell)
{
	const struct pb_set *set = call->set;
	const struct patchbay_cell *const *at;

	if (!set)
		return enter_one(call, cell);
	call->since = pb_call_number(set->since);
	call->told = set->told;
	at = set->entries;
	do
		(*at)->func(call->ip, call->parent_ip, *at, regs_of(call));
	while (*++at);
	/* Read the cell's record: the set may be pb_set_nobody, which has no record. */
	return cell->record->stack_arg_words;
}

static void leave_one(struct patchbay_call *call,
		      const struct patchbay_cell *cell)
{
	const struct patchbay_cell *own = own_of(cell);

	if (own && pb_call_was_told(call, own->since))
		__atomic_load_n(&cell->exit, __ATOMIC_RELAXED)(
			call->ip, call->parent_ip, cell, regs_of(call));
}

static __attribute__((noinline)) void
leave_set(struct patchbay_call *call, const struct patchbay_cell *cell)
{
	const struct pb_set *set = __atomic_load_n(&cell->set, __ATOMIC_ACQUIRE);

	for (const struct patchbay_cell *const *at = set->exits; *at; at++)
		if (pb_call_was_told(call, (*at)->since))
			(*at)->exit(call->ip, call->parent_ip, *at, regs_of(call));
}

/*
 * Call the exits of the current tracers of @cell. The function may have had other tracers at
 * the entry. The rare cases are noinline functions, so that a call with one tracer saves no
 * registers.
 */
static inline void leave_own(struct patchbay_call *call, const struct patchbay_cell *cell)
{
	patchbay_handler enter = __atomic_load_n(&cell->enter, __ATOMIC_ACQUIRE);

	if (pb_call_is_of_one(enter))
		leave_one(call, cell);
	else if (pb_call_is_of_set(enter))
		leave_set(call, cell);
}

static __attribute__((noinline)) void
leave_gate(struct patchbay_call *call, const struct patchbay_cell *gate)
{
	leave_own(call, pb_gate_find(gate, call->ip));
}

static __attribute__((noinline)) void
leave_any(struct patchbay_call *call, const struct patchbay_cell *cell)
{
	/* A gate comes here, too: it has no set, so is_as_entered() has returned 0. */
	if (pb_is_gate(cell))
		leave_gate(call, cell);
	else
		leave_own(call, cell);
}

/*
 * Is @set the cell's current set, and did exactly its tracers with an exit see the entry of the
 * call? Then pb_call_exit() calls all exits unchecked: the checks are most of the cost of
 * leave_any().
 */
static int is_as_entered(const struct patchbay_call *call,
			 const struct patchbay_cell *cell,
			 const struct pb_set *set)
{
	return set &&
	       pb_call_were_all_told(call->since, call->told, set->since,
				     set->told) &&
	       __atomic_load_n(&cell->enter, __ATOMIC_ACQUIRE) == set->enter;
}

void pb_call_exit(struct patchbay_call *call)
{
	const struct patchbay_cell *cell = pb_call_slot(call);
	const struct pb_set *set = __atomic_load_n(&cell->set, __ATOMIC_ACQUIRE);
	const struct patchbay_cell *const *at;

	if (!is_as_entered(call, cell, set)) {
		leave_any(call, cell);
		return;
	}
	at = set->exits;
	do
		(*at)->exit(call->ip, call->parent_ip, *at, regs_of(call));
	while (*++at);
}
