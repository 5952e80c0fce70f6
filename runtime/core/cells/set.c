/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "types/set.h"

#include "arch/arch.h"
#include "system/memory.h"
#include "types/call.h"
#include "types/tracer.h"

#include <errno.h>
#include <string.h>

/* The enter function of a cell whose only tracer is @ops. */
static patchbay_handler enter_of(const struct patchbay_ops *ops,
				 const struct patchbay_record *record)
{
	const struct patchbay_ops_attr *attr = &ops->attr;
	int fast = attr->flags & PATCHBAY_OPS_FAST;

	if (!attr->exit)
		return fast ? attr->handler : pb_arch_enter_any;
	return fast && pb_call_is_simple(record, attr->flags) ? pb_arch_call_fast :
								pb_arch_call_any;
}

struct patchbay_cell pb_ops_cell(struct patchbay_ops *ops,
				 const struct patchbay_record *record,
				 void *data, uint64_t since)
{
	const struct patchbay_ops_attr *attr = &ops->attr;
	patchbay_handler exit = attr->threshold ? pb_timed_exit : attr->exit;
	int silent = ops->disabled || !attr->handler;

	return (struct patchbay_cell){
		.enter = enter_of(ops, record),
		.func = silent ? pb_enter_nothing : attr->handler,
		.exit = exit && ops->disabled ? pb_enter_nothing : exit,
		.data = data,
		.record = record,
		.ops = ops,
		/* Only exits compare the number of the batch. */
		.since = attr->exit ? since & (PATCHBAY_CELL_SINCE |
					       PATCHBAY_CELL_WORD) :
				      0,
	};
}

const struct patchbay_cell *pb_set_cells(const struct patchbay_cell *cell,
					 size_t *nr)
{
	if (cell->set == &pb_set_nobody)
		*nr = 0;
	else
		*nr = cell->set ? cell->set->nr : 1;
	return cell->set ? cell->set->cells : cell;
}

const struct patchbay_cell *pb_set_find(const struct patchbay_cell *cell,
					const struct patchbay_ops *ops)
{
	size_t nr;
	const struct patchbay_cell *cells = pb_set_cells(cell, &nr);

	for (size_t i = 0; cell->ops && i < nr; i++)
		if (cells[i].ops == ops)
			return &cells[i];
	return NULL;
}

size_t pb_set_size(size_t nr)
{
	const struct pb_set *set = NULL;

	/* Space for two lists, each with at most all members and a NULL at the end. */
	return sizeof(*set) + nr * sizeof(set->cells[0]) +
	       2 * (nr + 1) * sizeof(set->entries[0]);
}

static int has_entry(const struct patchbay_cell *member)
{
	return !member->ops->disabled && member->func != pb_enter_nothing;
}

static int has_exit(const struct patchbay_cell *member)
{
	return !member->ops->disabled && member->exit;
}

static void make_lists(struct pb_set *set)
{
	const struct patchbay_cell **at = (void *)&set->cells[set->nr];

	set->entries = at;
	for (size_t i = 0; i < set->nr; i++)
		if (has_entry(&set->cells[i]))
			*at++ = &set->cells[i];
	*at++ = NULL;
	set->exits = at;
	for (size_t i = set->nr; i-- > 0;)
		if (has_exit(&set->cells[i]) &&
		    set->cells[i].exit != patchbay_no_exit)
			*at++ = &set->cells[i];
	*at = NULL;
	if (!*set->entries)
		set->entries = pb_set_only_nothing;
	if (!*set->exits)
		set->exits = pb_set_only_nothing;
}

static patchbay_handler enter_of_set(const struct pb_set *set)
{
	if (set->has_exits)
		return set->fast_exits ? pb_arch_call_set :
					 pb_arch_call_any_set;
	return set->fast ? pb_set_call_fast : pb_arch_enter_set;
}

/*
 * The direct way for cells with @set, whose members use @words words of a call. The direct
 * way reports a call to all exits of the set, so all members with an exit must be enabled.
 */
static enum pb_call_state direct_way(const struct pb_set *set, unsigned int words)
{
	if (!set->fast_exits || words > pb_arch_direct_words)
		return PB_CALL_GENERAL;
	for (size_t i = 0; i < set->nr; i++)
		if (set->cells[i].ops->disabled && set->cells[i].exit)
			return PB_CALL_GENERAL;
	return set->entries == pb_set_only_nothing ? PB_CALL_SET : PB_CALL_SET_BOTH;
}

struct pb_set *pb_set_reserve(size_t nr)
{
	return pb_malloc(pb_set_size(nr));
}

/* Compute all fields from the members, which the caller has stored. */
static void finish_set(struct pb_set *set, size_t nr)
{
	unsigned int words = 0, flags = PATCHBAY_OPS_NO_RESULT_FP;

	*set = (struct pb_set){ .nr = nr, .fast = 1 };
	for (size_t i = 0; i < nr; i++) {
		const struct patchbay_cell *member = &set->cells[i];
		uint64_t since = pb_call_number(member->since);
		unsigned int word = pb_call_word(member->since);

		if (!(member->ops->attr.flags & PATCHBAY_OPS_FAST))
			set->fast = 0;
		if (since > set->since)
			set->since = since;
		if (!has_exit(member))
			continue;
		set->has_exits = 1;
		flags &= member->ops->attr.flags;
		set->told |= pb_call_bit(member);
		if (word >= words)
			words = word + 1;
	}
	make_lists(set);
	/* One word is in the call's frame. Round the others to keep the stack aligned. */
	set->more = (unsigned int)(words / 2 * 2 * sizeof(uint64_t));
	set->fast_exits = set->has_exits && set->fast &&
			  pb_call_is_simple(set->cells[0].record, flags);
	set->fast &= !set->has_exits;
	set->enter = enter_of_set(set);
	set->since |= direct_way(set, words);
}

struct pb_set *pb_set_new(const struct patchbay_cell *cells, size_t nr)
{
	struct pb_set *set = pb_set_reserve(nr);

	if (set) {
		memcpy(set->cells, cells, nr * sizeof(*cells));
		finish_set(set, nr);
	}
	return set;
}

/* Copy the tracers of @cell, without @ops, to @set. Returns their number. */
static size_t copy_others(struct pb_set *set, const struct patchbay_cell *cell,
			  const struct patchbay_ops *ops)
{
	size_t nr, kept = 0;
	const struct patchbay_cell *members = pb_set_cells(cell, &nr);

	for (size_t i = 0; i < nr; i++)
		if (members[i].ops != ops)
			set->cells[kept++] = pb_ops_cell(
				members[i].ops, cell->record, members[i].data,
				members[i].since);
	return kept;
}

struct pb_set *pb_set_change(const struct patchbay_cell *cell,
			     const struct patchbay_cell *more,
			     const struct patchbay_ops *less)
{
	struct pb_set *set;
	size_t nr;

	pb_set_cells(cell, &nr);
	set = pb_set_reserve(nr + 1);
	if (!set)
		return NULL;
	nr = copy_others(set, cell, less);
	if (more)
		set->cells[nr++] = *more;
	finish_set(set, nr);
	return set;
}

void pb_set_renew(struct pb_set *set, const struct pb_set *old)
{
	const struct patchbay_cell cell = { .set = old, .record = old->cells[0].record };

	finish_set(set, copy_others(set, &cell, NULL));
}

int pb_set_find_word(const struct patchbay_cell *cells, size_t nr)
{
	uint64_t taken = 0;

	_Static_assert(PATCHBAY_EXIT_MAX <= 64, "more than bits");
	for (size_t i = 0; i < nr; i++)
		if (cells[i].exit)
			taken |= pb_call_bit(&cells[i]);
	for (int word = 0; word < PATCHBAY_EXIT_MAX; word++)
		if (!(taken >> word & 1))
			return word;
	return -E2BIG;
}

void pb_set_free(struct pb_set *set)
{
	if (set != &pb_set_nobody)
		pb_free(set);
}

void pb_set_data(struct pb_set *set, const struct patchbay_ops *ops,
		 void *data)
{
	for (size_t i = 0; i < set->nr; i++)
		if (set->cells[i].ops == ops)
			set->cells[i].data = data;
}
