/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "change/settle.h"

#include "cells/cell.h"
#include "quiesce/quiesce.h"
#include "system/lock.h"
#include "system/memory.h"
#include "types/set.h"
#include "types/shared_cells.h"
#include "types/tracer.h"

/*
 * The states of pb_module.unsettled, for a module with cells to settle. AGING: all of these
 * cells were retired before the current grace period began. PLANNED: the plan that is being
 * applied lists all of these cells. FRESH: all other cases.
 */
enum { FRESH = 1, AGING, PLANNED };

/* Retired sets: since the current grace period began (fresh), and before (aging). */
static struct pb_set *fresh, *aging;
/* Sets that were never published, to be freed without the engine lock. */
static struct pb_set *unseen;

/*
 * The phase in which the current grace period began (quiesce.h), or 0. Aging sets and cells are
 * settled when all handlers of that phase have returned.
 */
static uint64_t begun;

uint64_t pb_modules_gone;

/* No thread is in a handler of the first @gone_and_over modules that were unloaded. */
static uint64_t gone_and_over;

void pb_mark_unsettled(struct pb_module *module, int planned)
{
	if (planned && (!module->unsettled || module->unsettled == PLANNED))
		module->unsettled = PLANNED;
	else
		module->unsettled = FRESH;
}

static void push(struct pb_set **list, struct pb_set *set)
{
	if (set && set != &pb_set_nobody) {
		set->retired = *list;
		*list = set;
	}
}

void pb_free_sets(struct pb_set *set)
{
	struct pb_set *next;

	pb_may_allocate();
	for (; set; set = next) {
		next = set->retired;
		pb_free(set);
	}
}

void pb_retire(struct pb_set *set)
{
	push(&fresh, set);
}

void pb_retire_unseen(struct pb_set *set)
{
	push(&unseen, set);
}

void pb_free_unseen(void)
{
	struct pb_set *sets;

	pb_engine_lock();
	sets = unseen;
	unseen = NULL;
	pb_engine_unlock();
	pb_free_sets(sets);
}

void pb_fill_cell(struct patchbay_cell *cell, struct patchbay_cell from)
{
	cell->func = from.func;
	cell->exit = from.exit;
	cell->since = from.since;
	cell->data = from.data;
	cell->record = from.record;
	cell->ops = from.ops;
	pb_cell_enter_by(cell, from.ops->disabled ? pb_enter_nothing :
						    from.enter);
}

void pb_release_cell(struct patchbay_cell *cell)
{
	cell->ops = NULL;
	cell->set = NULL;
}

/*
 * All threads that were inside the cell when it changed have left. If the cell's set has one
 * member, and the member's word in calls is 0, calls enter the cell without the set again,
 * which is faster. The set stays allocated, because a thread may be walking it.
 */
static void settle_cell(const struct pb_module *module,
			struct patchbay_cell *cell)
{
	struct pb_shared_cell *shared = pb_shared_of(module, cell);
	const struct pb_set *set = cell->set;

	if (shared && pb_shared_is_abandoned(shared)) {
		pb_retire((struct pb_set *)set);
		pb_cell_enter_by(cell, pb_enter_nothing);
		pb_release_cell(cell);
	} else if (set == &pb_set_nobody) {
		pb_release_cell(cell);
	} else if (set && set->nr == 1 && cell->enter == set->enter &&
		 !(set->cells[0].since & PATCHBAY_CELL_WORD) && !module->gone) {
		pb_fill_cell(cell, set->cells[0]);
	}
	/* Threads that read a slot before it changed are outside now. */
	if (shared)
		shared->left = 0;
}

static void settle_module(struct pb_module *module, struct pb_cell_range range)
{
	struct patchbay_cell *cell;
	struct pb_cell_walk walk;

	pb_for_each_cell_in(module, range, walk, cell)
		settle_cell(module, cell);
	module->unsettled = 0;
}

/* Does any module have cells to settle? Retired sets alone do not start a grace period. */
static int is_anything_left(void)
{
	int left = 0;

	for (const struct pb_module *m = pb_modules; m; m = m->next)
		left |= m->unsettled;
	return left;
}

/*
 * Begin a grace period with @phase, or with 0 if the caller waits (see @begun). All retired
 * sets and cells wait for the handlers that are running now, except cells that only @plan
 * lists.
 */
static void begin_grace_period(const struct pb_plan *plan, uint64_t phase)
{
	struct pb_set *set, *next;

	pb_engine_lock();
	for (set = fresh; set; set = next) {
		next = set->retired;
		push(&aging, set);
	}
	fresh = NULL;
	for (struct pb_module *m = pb_modules; m; m = m->next)
		if (m->unsettled && (!plan || m->unsettled != PLANNED))
			m->unsettled = AGING;
	begun = phase;
	pb_engine_unlock();
}

/* The grace period is over: settle the cells of @plan, aging cells and aging sets. */
static void settle_aged(const struct pb_plan *plan)
{
	struct pb_set *sets;

	pb_engine_lock();
	for (size_t i = 0; plan && i < plan->nr; i++)
		if (plan->targets[i].step != PB_STEP_NONE &&
		    plan->targets[i].cell)
			settle_cell(plan->targets[i].module,
				    plan->targets[i].cell);
	for (struct pb_module *m = pb_modules; m; m = m->next) {
		if (m->unsettled == AGING)
			settle_module(m, PB_CELLS_ALL);
		else if (plan && m->unsettled == PLANNED)
			settle_module(m, PB_CELLS_SHARED);
	}
	sets = aging;
	aging = NULL;
	begun = 0;
	pb_engine_unlock();
	pb_free_sets(sets);
}

void pb_settle_what_is_over(void)
{
	static int64_t looked;
	uint64_t phase;

	/* Defer the cells of earlier plans whose callers did not wait, or waited in vain. */
	pb_engine_lock();
	for (struct pb_module *m = pb_modules; m; m = m->next)
		if (m->unsettled == PLANNED)
			m->unsettled = FRESH;
	pb_engine_unlock();
	if (begun && pb_over_until(begun, &looked) == begun)
		settle_aged(NULL);
	if (begun || !is_anything_left() || pb_quiesce_begin(&phase))
		return;
	begin_grace_period(NULL, phase);
}

/*
 * If the wait fails, or the process forks during the wait, no grace period has begun
 * (@begun is 0), and a later call begins one.
 */
int pb_settle(const struct pb_plan *plan)
{
	const uint64_t gone = pb_modules_gone;
	int error;

	begin_grace_period(plan, 0);
	pb_change_unlock();
	error = pb_wait();
	pb_change_lock();
	if (error)
		return error;
	settle_aged(plan);
	gone_and_over = gone;
	return 0;
}

int pb_settle_all(int gone)
{
	if (!is_anything_left() &&
	    (!gone || gone_and_over == pb_modules_gone))
		return 0;
	return pb_settle(NULL);
}
