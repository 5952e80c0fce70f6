/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "change/engine.h"

#include "arch/arch.h"
#include "cells/cell.h"
#include "cells/site.h"
#include "change/plan.h"
#include "change/place.h"
#include "change/settle.h"
#include "change/text_queue.h"
#include "system/lock.h"
#include "system/private.h"
#include "system/stats.h"
#include "types/set.h"
#include "types/tracer.h"

#include <errno.h>
#include <stdlib.h>

/* Fill the new cells. Queue the patches that must precede arming: slots and sequences. */
static int queue_publish(struct pb_plan *plan, struct pb_text_queue *text)
{
	for (size_t i = 0; i < plan->nr; i++) {
		struct pb_target *t = &plan->targets[i];
		struct pb_site site;
		int error;

		if (t->step != PB_STEP_ARM)
			continue;
		error = pb_text_queue_room(text, PB_PUBLISH_MAX);
		if (error)
			return error;
		pb_fill_target(t);
		site = pb_site_of(t->module, t->record);
		text->nr += (size_t)pb_arch_publish(&site, pb_target_slot(t),
						    &text->patches[text->nr]);
	}
	return 0;
}

/*
 * Queue the patches that arm the sites of the plan's new cells. If a site has changed since
 * the plan was made, pb_text_apply() finds out.
 */
static int queue_arm(const struct pb_plan *plan, struct pb_text_queue *text)
{
	for (size_t i = 0; i < plan->nr; i++) {
		const struct pb_target *t = &plan->targets[i];
		struct pb_site site;
		int error;

		if (t->step != PB_STEP_ARM || t->armed)
			continue;
		error = pb_text_queue_room(text, 1);
		if (error)
			return error;
		site = pb_site_of(t->module, t->record);
		pb_arch_flip(&site, 1, &text->patches[text->nr++]);
	}
	return 0;
}

/* Connect sites to the trampolines in modules that get their first armed site. */
static int open_modules(const struct pb_plan *plan,
			const struct pb_text_queue *text)
{
	const struct pb_module *module = NULL;
	int error = text->handle < 0 ? text->handle : 0;

	for (size_t i = 0; i < plan->nr && !error; i++) {
		const struct pb_target *t = &plan->targets[i];

		if (t->step != PB_STEP_ARM || t->module == module)
			continue;
		module = t->module;
		error = pb_arch_open(module, text->handle);
	}
	return error;
}

static int is_any_armed(const struct pb_plan *plan)
{
	for (size_t i = 0; i < plan->nr; i++) {
		const struct pb_target *t = &plan->targets[i];
		const struct pb_site site = pb_site_of(t->module, t->record);

		if (t->step == PB_STEP_ARM &&
		    pb_arch_site_state(&site) == PB_SITE_ARMED)
			return 1;
	}
	return 0;
}

/*
 * If the site of a function without tracers is armed, queue the patch that disarms the site.
 * The site stays armed if another patcher has changed it, or if the process may no longer write
 * text. Then the site calls the trampoline, but the empty cell calls no handler.
 */
static void queue_disarm(const struct pb_target *t, struct pb_text_queue *text)
{
	const struct pb_site site = pb_site_of(t->module, t->record);

	if (pb_arch_site_state(&site) != PB_SITE_ARMED)
		return;
	pb_text_queue_room(text, 1);
	pb_arch_flip(&site, 0, &text->patches[text->nr++]);
}

/* Queue a patch of the slot of @t. The old value and @new differ in one byte (shared_cells.h). */
static int queue_slot(const struct pb_target *t, uintptr_t new, struct pb_text_queue *text)
{
	const struct pb_site site = pb_site_of(t->module, t->record);
	int error = pb_text_queue_room(text, 1);

	if (!error)
		text->nr += (size_t)pb_arch_publish_slot(&site, &new,
							 &text->patches[text->nr]);
	return error;
}

/*
 * Point slots to other cells, for functions that share their present cell with functions that
 * get different tracers.
 */
static int move_slots(struct pb_plan *plan, struct pb_text_queue *text)
{
	int error = 0;

	for (size_t i = 0; plan->moves && i < plan->nr && !error; i++) {
		struct pb_target *t = &plan->targets[i];

		if (!t->moves)
			continue;
		if (t->step == PB_STEP_SWAP)
			pb_fill_target(t);
		/* Skip a slot that another patcher has changed. */
		if (pb_is_led(t->module, t->record) > 0)
			error = queue_slot(t, pb_target_slot(t), text);
	}
	/* The contents of a cell must be visible before a slot points to it. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return error ? error : pb_text_flush(text);
}

/*
 * Record the owner of each function: the cell that its slot points to. If writing failed (not
 * @done), read the slots. If no site was armed (not @seen), functions without an owner keep
 * PB_OWNER_NONE: no thread has read their slots.
 */
static void settle_owners(const struct pb_plan *plan, int done, int seen)
{
	for (size_t n = 0; n < plan->nr; n++) {
		const struct pb_target *t = &plan->targets[n];
		const size_t i = pb_record_index(t->module, t->record);

		if (t->step == PB_STEP_NONE || t->owner == PB_OWNER_NONE)
			continue;
		if (!seen && pb_owner(t->module, i) == PB_OWNER_NONE)
			continue;
		pb_change_owner(t->module, i,
				done ? t->owner : pb_owner_found(t->module, i, t->owner));
	}
}

/* Undo move_slots(). Functions that were to join another cell get the empty cell. */
static void move_slots_back(const struct pb_plan *plan, struct pb_text_queue *text)
{
	for (size_t i = 0; i < plan->nr; i++) {
		const struct pb_target *t = &plan->targets[i];
		const uintptr_t now = t->step == PB_STEP_NONE ? 0 :
			pb_arch_slot(pb_record_entry(t->record));

		unsigned int owner = PB_OWNER_NOBODY;

		if (t->moves)
			owner = pb_owner(t->module, pb_record_index(t->module,
								    t->record));
		else if (t->step != PB_STEP_ARM || !t->group || !t->group->joins)
			continue;
		if (now == pb_target_slot(t))
			queue_slot(t, pb_owner_slot(t->module, owner), text);
	}
	pb_text_flush(text);
}

/*
 * Take back the private cell of @t, which was filled. Free a fresh cell if no site was armed:
 * no thread has seen the cell. A thread may be inside any other cell: the thread may have
 * loaded the slot when the function was armed before.
 */
static void take_back_own(struct pb_target *t, int seen)
{
	struct pb_module *module = t->module;

	if (seen || !t->fresh || t->owner == PB_OWNER_GATE) {
		pb_empty_cell(t->cell);
		pb_mark_unsettled(module, 0);
		return;
	}
	pb_retire_unseen((struct pb_set *)t->cell->set);
	pb_release_cell(t->cell);
	t->cell->enter = NULL;
	if (pb_cell_of(module, t->record) != t->cell)
		pb_cell_give_back(module, t->cell);
}

/*
 * Undo a batch that failed half way. Threads may have run handlers of sites that were armed.
 * Other functions may be unchanged, or may have no cell yet.
 */
static void roll_back(struct pb_plan *plan, struct pb_text_queue *text)
{
	const int seen = is_any_armed(plan);

	text->nr = 0;
	move_slots_back(plan, text);
	for (size_t i = plan->nr; i-- > 0;) {
		struct pb_target *t = &plan->targets[i];
		const int own = !t->group && t->cell && t->cell->ops &&
				(t->step == PB_STEP_ARM ||
				 (t->step == PB_STEP_SWAP && t->moves));

		if (own)
			take_back_own(t, seen);
		if (t->step == PB_STEP_ARM && seen)
			queue_disarm(t, text);
	}
	pb_text_flush(text);
	text->nr = 0;
	settle_owners(plan, 0, seen);
	for (struct pb_group *g = plan->groups; g; g = g->next)
		pb_unfill_group(g, seen);
}

/* Give functions their first tracers, or other cells. Undoes everything on error. */
static int arm_or_roll_back(struct pb_plan *plan, struct pb_text_queue *text)
{
	const size_t arms = plan->steps[PB_STEP_ARM];
	int error = 0;

	if (!arms && !plan->moves)
		return 0;
	if (arms) {
		error = queue_publish(plan, text);
		if (!error)
			error = pb_text_flush(text);
		if (!error)
			error = pb_sync_core();
	}
	if (!error)
		error = move_slots(plan, text);
	if (!error && arms) {
		error = open_modules(plan, text);
		if (!error)
			error = queue_arm(plan, text);
		if (!error)
			error = pb_text_flush(text);
	}
	if (error) {
		roll_back(plan, text);
		return error;
	}
	settle_owners(plan, 1, 1);
	return 0;
}

static void swap_and_disarm(struct pb_plan *plan, struct pb_text_queue *text)
{
	if (plan->nr_steps == plan->steps[PB_STEP_ARM])
		return;
	for (size_t i = 0; i < plan->nr; i++) {
		struct pb_target *t = &plan->targets[i];

		/* If the slot moves, other functions keep the old cell: do not change it. */
		if (t->step == PB_STEP_SWAP && !t->moves) {
			pb_swap_target(t);
		} else if (t->step == PB_STEP_DISARM) {
			if (!t->moves && t->cell->set != &pb_set_nobody)
				pb_empty_cell(t->cell);
			queue_disarm(t, text);
		} else if (t->step != PB_STEP_SWAP) {
			continue;
		}
		if (plan->removes)
			pb_mark_unsettled(t->module, 1);
	}
	pb_text_flush(text);
}

/* Make all changes under the engine lock. Other holders of the lock see all or none. */
static int apply_plan(struct pb_plan *plan, struct pb_request *requests,
		      struct pb_text_queue *text)
{
	struct pb_filter *forgotten = NULL;
	int error;

	pb_engine_lock();
	error = arm_or_roll_back(plan, text);
	if (!error) {
		pb_future_update(requests, &forgotten);
		if (plan->nr_steps)
			swap_and_disarm(plan, text);
	}
	pb_engine_unlock();
	pb_future_free(forgotten);
	return error;
}

/* Allocate memory and open files for writing text, before the engine lock is taken. */
static int prepare_text(const struct pb_plan *plan, struct pb_text_queue *text)
{
	int error;

	if (!plan->nr_steps)
		return 0;
	pb_count(&pb_stats.batches);
	error = pb_text_queue_init(text, plan->nr_steps * (PB_PUBLISH_MAX + 1), 0);
	/* Replacing sets writes no text. */
	if (!error &&
	    (plan->moves || plan->nr_steps != plan->steps[PB_STEP_SWAP]))
		text->handle = pb_text_open();
	return error;
}

static int commit_plan(struct pb_request *requests, struct pb_module *only,
		       enum pb_wait wait)
{
	struct pb_plan plan = { 0 };
	struct pb_text_queue text = { .handle = -1 };
	int error = pb_bulk_commit(requests, only, wait);

	if (error != PB_NOT_BULK)
		return error;
	error = pb_plan(&plan, requests, only);
	if (!error)
		error = prepare_text(&plan, &text);
	if (!error) {
		error = apply_plan(&plan, requests, &text);
		pb_free_unseen();
		/* Close the text before the wait for handlers. */
		pb_text_queue_free(&text);
		if (wait == PB_WAIT && (error || plan.removes)) {
			int waited = error ? pb_settle_all(0) :
					     pb_settle(&plan);

			error = error ? error : waited;
		}
	}
	pb_text_queue_free(&text);
	pb_plan_free(&plan);
	return error;
}

int pb_engine_commit(struct pb_request *requests)
{
	int error;

	pb_settle_what_is_over();
	error = commit_plan(requests, NULL, PB_WAIT);
	/*
	 * A function to arm was disarmed a moment ago, and its cell cannot be reused while
	 * threads are in its old handlers. Wait for these threads. Nothing has changed yet, so a
	 * timeout is -EAGAIN and not -ETIMEDOUT. Repeat: a module that was loaded during the wait
	 * may have such a cell, too.
	 */
	while (error == PB_UNSETTLED) {
		error = pb_settle_all(0);
		if (error == -ETIMEDOUT)
			error = -EAGAIN;
		if (!error)
			error = commit_plan(requests, NULL, PB_WAIT);
	}
	/*
	 * The caller is removing its tracer everywhere, and will free it. So also wait for
	 * earlier changes of the tracer. This comes last: if the wait fails, at least no new
	 * call enters the tracer.
	 */
	if (!error && requests && requests->all && pb_tracer_was_armed(requests->ops))
		error = pb_settle_all(1);
	return error;
}

void pb_engine_module_added(struct pb_module *module)
{
	for (struct pb_filter *f = pb_future; f && !module->gone; f = f->next) {
		struct pb_request request = { .ops = f->ops,
					      .filter = f,
					      .flags = f->flags };
		int error = commit_plan(&request, module, PB_NO_WAIT);

		/* The module's cells are new, so PB_UNSETTLED is not expected. */
		if (error)
			f->ops->error = error < 0 ? error : -EAGAIN;
	}
}

void pb_engine_module_leaving(struct pb_module *module)
{
	__atomic_store_n(&module->gone, 1, __ATOMIC_RELAXED);
	pb_modules_gone++;
	pb_cells_redirect(module, pb_enter_nothing);
}

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
 * cell->enter could not record that it called no handler. The thread would call the exit if
 * the tracer is enabled again.
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
 * module stay allocated, sets do not change, and a thread may see each store at any time.
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
