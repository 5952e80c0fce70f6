/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cells/cell.h"
#include "change/place.h"
#include "change/settle.h"
#include "types/set.h"
#include "types/tracer.h"

/* Extend each tracer's range of cells by @cell, which has got these tracers. */
static void note_tracers(const struct patchbay_cell *cell)
{
	const uintptr_t at = (uintptr_t)cell;
	size_t nr;
	const struct patchbay_cell *members = pb_set_cells(cell, &nr);

	for (size_t i = 0; i < nr; i++) {
		struct pb_cell_range *cells = &members[i].ops->cells;

		if (at < cells->first)
			cells->first = at;
		if (at > cells->last)
			cells->last = at;
	}
}

/* Give @cell, for @record, the tracers of @set. No thread is inside the cell. */
static void fill_from_set(struct patchbay_cell *cell,
			  const struct patchbay_record *record,
			  struct pb_set *set)
{
	cell->record = record;
	cell->ops = set->cells[0].ops;
	pb_cell_enter_set(cell, set);
}

/* Handlers see the members of a set. Give these the common record of @cell's functions. */
static void set_shape(struct pb_set *set, const struct pb_shared_cell *cell)
{
	for (size_t i = 0; i < set->nr; i++)
		set->cells[i].record = &cell->shape;
}

void pb_fill_group(struct pb_group *g)
{
	struct pb_shared_cell *cell = g->cell;

	if (g->filled || cell->cell.ops)
		return;
	g->filled = 1;
	pb_shared_take(cell, g->shape);
	if (g->set) {
		set_shape(g->set, cell);
		fill_from_set(&cell->cell, &cell->shape, g->set);
		g->set = NULL;
	} else {
		g->one.record = &cell->shape;
		pb_fill_cell(&cell->cell, g->one);
	}
	note_tracers(&cell->cell);
}

void pb_unfill_group(struct pb_group *g, int seen)
{
	struct patchbay_cell *cell = g->cell ? &g->cell->cell : NULL;

	if (!g->filled)
		return;
	if (seen || g->led) {
		/* If no function has the cell, it keeps its tracers: pb_shared_is_abandoned(). */
		if (!pb_shared_is_abandoned(g->cell))
			pb_empty_cell(cell);
		pb_mark_unsettled(g->module, 0);
		return;
	}
	pb_retire_unseen((struct pb_set *)cell->set);
	pb_cell_enter_by(cell, pb_enter_nothing);
	pb_release_cell(cell);
}

/* Give a function's private cell its first tracers. */
static void fill_own(struct pb_target *t)
{
	if (!t->cell)
		t->cell = pb_cell_take(t->module);
	t->fresh = !t->cell->enter;
	if (t->owner == PB_OWNER_GATE)
		__atomic_store_n(&t->module->shared->own[pb_record_index(
					 t->module, t->record)],
				 t->cell, __ATOMIC_RELEASE);
	if (t->set) {
		fill_from_set(t->cell, t->record, t->set);
		t->set = NULL;
	} else {
		pb_fill_cell(t->cell, pb_target_tracer(t));
	}
	note_tracers(t->cell);
}

void pb_fill_target(struct pb_target *t)
{
	if (t->group)
		pb_fill_group(t->group);
	else
		fill_own(t);
}

uintptr_t pb_target_slot(const struct pb_target *t)
{
	return t->owner == PB_OWNER_NONE ? (uintptr_t)t->cell :
					   pb_owner_slot(t->module, t->owner);
}

unsigned int pb_owner_found(const struct pb_module *module, size_t i,
			    unsigned int owner)
{
	const uintptr_t slot =
		pb_arch_slot(pb_record_entry(&module->records[i]));

	if (slot == pb_owner_slot(module, owner))
		return owner;
	/* The function was to leave its cell for @owner, and now has the empty cell. */
	if (slot == pb_owner_slot(module, PB_OWNER_NOBODY))
		return PB_OWNER_NOBODY;
	return pb_owner(module, i);
}

void pb_empty_cell(struct patchbay_cell *cell)
{
	pb_retire((struct pb_set *)cell->set);
	__atomic_store_n(&cell->set, &pb_set_nobody, __ATOMIC_RELEASE);
	pb_cell_enter_by(cell, pb_enter_nothing);
}

static void swap_set(struct patchbay_cell *cell, struct pb_set *set)
{
	pb_retire((struct pb_set *)cell->set);
	pb_cell_enter_set(cell, set);
}

void pb_swap_group(struct pb_group *g)
{
	if (!g->set)
		return;
	set_shape(g->set, g->cell);
	swap_set(&g->cell->cell, g->set);
	g->set = NULL;
	note_tracers(&g->cell->cell);
}

void pb_swap_target(struct pb_target *t)
{
	if (t->group) {
		pb_swap_group(t->group);
		return;
	}
	swap_set(t->cell, t->set);
	t->set = NULL;
	note_tracers(t->cell);
}
