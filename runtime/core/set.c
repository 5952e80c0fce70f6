/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "set.h"

#include "arch.h"
#include "call.h"
#include "engine.h"
#include "enter.h"
#include "timed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct pb_set pb_set_nobody = {
	.nr = 1,
	.fast = 1,
	.cells = { { .func = pb_enter_nothing } },
};

/* How the cell of @ops alone is entered. */
static patchbay_handler enter_of(const struct patchbay_ops *ops,
				 const struct patchbay_record *record)
{
	const struct patchbay_ops_attr *attr = &ops->attr;
	int fast = attr->flags & PATCHBAY_OPS_FAST;

	if (!attr->exit)
		return fast ? attr->handler : pb_arch_enter_any;
	return fast && pb_call_is_simple(record) ? pb_arch_call_fast :
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
		.since = since & (PATCHBAY_CELL_SINCE | PATCHBAY_CELL_WORD),
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

	for (size_t i = 0; i < nr; i++)
		if (cells[i].ops == ops)
			return &cells[i];
	return NULL;
}

static patchbay_handler enter_of_set(const struct pb_set *set)
{
	if (set->exits)
		return set->fast_exits ? pb_arch_call_set :
					 pb_arch_call_any_set;
	return set->fast ? pb_set_call_fast : pb_arch_enter_set;
}

struct pb_set *pb_set_new(const struct patchbay_cell *cells, size_t nr)
{
	struct pb_set *set = malloc(sizeof(*set) + nr * sizeof(*cells));
	unsigned int most = 0;

	if (!set)
		return NULL;
	*set = (struct pb_set){ .nr = nr, .fast = 1 };
	memcpy(set->cells, cells, nr * sizeof(*cells));
	for (size_t i = 0; i < nr; i++) {
		uint64_t since = cells[i].since & PATCHBAY_CELL_SINCE;
		unsigned int words = (cells[i].since & PATCHBAY_CELL_WORD) + 1;

		if (!(cells[i].ops->attr.flags & PATCHBAY_OPS_FAST))
			set->fast = 0;
		if (since > set->since)
			set->since = since;
		if (!cells[i].exit)
			continue;
		set->exits = 1;
		set->told |= pb_call_bit(&cells[i]);
		if (words > most)
			most = words;
	}
	/* One is in the frame; the stack stays aligned. */
	set->more = (unsigned int)(most / 2 * 2 * sizeof(uint64_t));
	set->fast_exits = set->exits && set->fast &&
			  pb_call_is_simple(cells[0].record);
	set->fast &= !set->exits;
	set->enter = enter_of_set(set);
	return set;
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
		free(set);
}

void pb_set_data(struct pb_set *set, const struct patchbay_ops *ops,
		 void *data)
{
	for (size_t i = 0; i < set->nr; i++)
		if (set->cells[i].ops == ops)
			set->cells[i].data = data;
}
