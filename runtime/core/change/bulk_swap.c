/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "change/bulk.h"

#include "cells/cell.h"
#include "cells/site.h"
#include "system/memory.h"
#include "types/call.h"

#include <errno.h>

void pb_bulk_count_owners(struct pb_bulk_module *b, struct pb_bulk_owners *owners)
{
	for (size_t i = pb_choice_next(&b->choice, 0); i < b->module->nr;
	     i = pb_choice_next(&b->choice, i + 1)) {
		const unsigned int owner = pb_owner(b->module, i);

		owners->nr[owner]++;
		if (!owners->stays[owner])
			pb_choice_drop(&b->choice, i);
	}
}

/* Record that @cell gets @set. Returns -ENOMEM if @set is NULL. */
static int add_swap(struct pb_bulk_module *b, struct pb_shared_cell *cell,
		    struct pb_set *set)
{
	struct pb_group *g = set ? pb_malloc(sizeof(*g)) : NULL;

	if (!g) {
		pb_free(set);
		return -ENOMEM;
	}
	*g = (struct pb_group){ .next = b->swaps,
				.module = b->module,
				.set = set,
				.nr = cell->nr,
				.shape = pb_shape(&cell->shape),
				.owns = 1,
				.cell = cell };
	cell->to = b->swaps = g;
	b->nr_swapped += g->nr;
	return 0;
}

int pb_bulk_swap_out(const struct pb_bulk *bulk, struct pb_bulk_module *b,
		     struct pb_shared_cell *cell)
{
	return add_swap(b, cell,
			pb_set_change(&cell->cell, NULL, bulk->request->ops));
}

/*
 * Make a set for @cell with the tracers of the cell and of the request. Does nothing if the
 * request may skip the functions. Returns PB_NOT_BULK if the tracer cannot be armed: a plan
 * finds the error.
 */
static int swap_in(const struct pb_bulk *bulk, struct pb_bulk_module *b,
		   struct pb_shared_cell *cell)
{
	struct patchbay_ops *ops = bulk->request->ops;
	/* pb_check_exit() reads only the shape, which all functions of the cell share. */
	const struct pb_target asked = { .record = &cell->shape,
					 .request = bulk->request };
	struct patchbay_cell one;
	size_t nr;
	const struct patchbay_cell *tracers = pb_set_cells(&cell->cell, &nr);
	int word = 0, error = pb_check_exit(&asked);

	if (error == 1)
		return 0;
	if (!error && ops->attr.exit)
		word = pb_set_find_word(tracers, nr);
	if (error || word < 0)
		return PB_NOT_BULK;
	one = pb_ops_cell(ops, &cell->shape, ops->attr.data,
			  pb_call_since(pb_since, (unsigned int)word));
	return add_swap(b, cell, pb_set_change(&cell->cell, &one, NULL));
}

/*
 * For the chosen functions with tracers: are all sites armed, and do all slots point to the
 * owners' cells?
 */
static int are_armed(const struct pb_module *module,
		     const struct pb_bulk_owners *owners)
{
	for (size_t i = 0; i < module->nr; i++) {
		const struct patchbay_record *record = &module->records[i];
		const unsigned int owner = pb_owner(module, i);

		if (!owners->stays[owner] && owners->nr[owner] &&
		    (pb_site_state(module, record) != PB_SITE_ARMED ||
		     pb_arch_slot(pb_record_entry(record)) != pb_owner_slot(module, owner)))
			return 0;
	}
	return 1;
}

int pb_bulk_find_swaps(struct pb_bulk *bulk, struct pb_bulk_module *b)
{
	const struct patchbay_ops *ops = bulk->request->ops;
	struct pb_shared *shared = b->module->shared;
	struct pb_bulk_owners owners = { .nr = { 0 } };
	int any = 0, error = 0;

	for (unsigned int i = 0; i < PB_NR_SHARED; i++) {
		/* @ops stays set in a cell that was emptied, until no thread is inside the cell. */
		owners.stays[i] = i < PB_OWNER_FIRST || i >= shared->end ||
				  !shared->cells[i].nr || !shared->cells[i].cell.ops;
		any |= !owners.stays[i];
	}
	if (!any)
		return 0;
	pb_bulk_count_owners(b, &owners);
	for (unsigned int i = PB_OWNER_FIRST; i < shared->end && !error; i++) {
		struct pb_shared_cell *cell = &shared->cells[i];

		if (owners.stays[i] || !owners.nr[i])
			continue;
		/* Leave to a plan: waiting for threads, splitting cells, and calls of @check. */
		if (cell->cell.set == &pb_set_nobody ||
		    pb_may_be_inside(b->module, &cell->cell, ops) ||
		    owners.nr[i] != cell->nr || cell->left || ops->attr.check)
			error = PB_NOT_BULK;
		else if (!pb_set_find(&cell->cell, ops))
			error = swap_in(bulk, b, cell);
	}
	/* If other code has changed a site or slot, a plan finds the function to refuse. */
	if (!error && !are_armed(b->module, &owners))
		error = PB_NOT_BULK;
	return error;
}

int pb_bulk_is_swapped(const struct pb_bulk_module *b, size_t i)
{
	const unsigned int owner = pb_owner(b->module, i);
	const struct pb_group *g;

	/* Only groups in @swaps own a set. */
	if (!b->swaps || owner < PB_OWNER_FIRST)
		return 0;
	g = b->module->shared->cells[owner].to;
	return g && g->owns;
}

void pb_bulk_swap(const struct pb_bulk *bulk)
{
	for (struct pb_bulk_module *b = bulk->modules; b; b = b->next) {
		for (struct pb_group *g = b->swaps; g; g = g->next)
			pb_swap_group(g);
		if (b->swaps && bulk->request->disarm)
			pb_mark_unsettled(b->module, 1);
	}
}
