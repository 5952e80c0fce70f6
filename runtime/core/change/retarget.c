/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "change/engine.h"

#include "cells/cell.h"
#include "change/settle.h"
#include "system/lock.h"
#include "system/memory.h"
#include "system/private.h"
#include "types/set.h"
#include "types/tracer.h"

#include <errno.h>

/*
 * Allocate a new set for each cell that has a set with @ops, in the order of the walk. The
 * caller's locks prevent changes of these cells before retarget_cells() uses the sets.
 */
static int reserve_sets(const struct patchbay_ops *ops, struct pb_set **sets)
{
	struct pb_set **end = sets;
	struct patchbay_cell *cell;
	struct pb_cell_walk walk;

	*sets = NULL;
	pb_may_allocate();
	for (struct pb_module *m = pb_modules; m; m = m->next) {
		pb_for_each_cell_in(m, ops->cells, walk, cell) {
			if (!pb_set_find(cell, ops) || !pb_cell_has_set(cell))
				continue;
			*end = pb_set_reserve(cell->set->nr);
			if (!*end) {
				pb_free_sets(*sets);
				return -ENOMEM;
			}
			end = &(*end)->retired;
			*end = NULL;
		}
	}
	return 0;
}

/*
 * Update a cell that has @ops as its only tracer. A thread that is entering the cell calls
 * the old handler or the new one. Both get the same data, so no copy of the cell is needed.
 *
 * Store the exit first: a thread that sees the new entry handler then sees the new exit, too.
 * So no call gets its entry without its exit while the tracer is being enabled. To disable
 * the tracer, change only cell->enter. If the handlers were removed, a thread that has read
 * cell->enter could not record that it called no handler. It would call the exit if the
 * tracer is enabled again.
 */
static void retarget_cell(struct patchbay_cell *cell, struct patchbay_ops *ops)
{
	const struct patchbay_cell new = pb_ops_cell(ops, cell->record, NULL, 0);

	if (!ops->disabled) {
		__atomic_store_n(&cell->exit, new.exit, __ATOMIC_RELEASE);
		__atomic_store_n(&cell->func, new.func, __ATOMIC_RELEASE);
	}
	pb_cell_enter_by(cell, ops->disabled ? pb_enter_nothing : new.enter);
}

/* Under the engine lock. */
static void retarget_cells(struct patchbay_ops *ops, struct pb_set *sets)
{
	struct patchbay_cell *cell;
	struct pb_cell_walk walk;

	for (struct pb_module *m = pb_modules; m; m = m->next) {
		pb_for_each_cell_in(m, ops->cells, walk, cell) {
			if (!pb_set_find(cell, ops))
				continue;
			if (pb_cell_has_set(cell)) {
				struct pb_set *new = sets;
				struct pb_set *old = (struct pb_set *)cell->set;

				sets = sets->retired;
				pb_set_renew(new, old);
				pb_cell_enter_set(cell, new);
				pb_retire(old);
			} else {
				retarget_cell(cell, ops);
			}
			pb_mark_unsettled(m, 0);
		}
	}
}

int pb_retarget(struct patchbay_ops *ops, const struct pb_ops_change *change)
{
	struct pb_set *sets;
	int error = reserve_sets(ops, &sets);

	if (error)
		return error;
	pb_engine_lock();
	ops->attr.handler = change->handler;
	/* Atomic: trampolines read the exit of tracers with a threshold. */
	__atomic_store_n(&ops->attr.exit, change->exit, __ATOMIC_RELAXED);
	ops->disabled = change->disabled;
	retarget_cells(ops, sets);
	pb_engine_unlock();
	return pb_settle_all(1);
}

/*
 * Takes no lock, because this function must not wait. That is safe: cells of an unloaded
 * module stay allocated, sets do not change, and each single store may be seen at any time.
 */
void pb_private_pause(struct patchbay_ops *ops, int paused)
{
	struct patchbay_cell *cell;
	struct pb_cell_walk walk;

	ops->disabled = paused;
	for (struct pb_module *m = pb_modules; m; m = m->next) {
		pb_for_each_cell_in(m, ops->cells, walk, cell) {
			if (!pb_set_find(cell, ops))
				continue;
			if (paused)
				pb_cell_enter_by(cell, pb_enter_nothing);
			else if (pb_cell_has_set(cell))
				pb_cell_enter_set(cell, (struct pb_set *)cell->set);
			else
				retarget_cell(cell, ops);
		}
	}
}
