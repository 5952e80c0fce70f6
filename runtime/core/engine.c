/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "engine.h"

#include "arch.h"
#include "cell.h"
#include "enter.h"
#include "lock.h"
#include "set.h"
#include "settle.h"
#include "stats.h"
#include "strict.h"
#include "text_queue.h"

#include <errno.h>
#include <stdlib.h>

struct patchbay_ops *pb_tracers;
uint64_t pb_since;

/* The cell of @t is that of the tracers which its requests arm, too. */
static void note_tracers(const struct pb_target *t)
{
	const uintptr_t cell = (uintptr_t)t->cell;

	for (uint32_t i = 0; i < t->nr; i++) {
		struct pb_cell_range *cells = &t[i].request->ops->cells;

		if (!t[i].live)
			continue;
		if (cell < cells->first)
			cells->first = cell;
		if (cell > cells->last)
			cells->last = cell;
	}
}

/* Give a cell its first tracers. Nobody is inside: disarming has waited. */
static void fill_target(struct pb_target *t)
{
	struct pb_module *module = t->module;

	if (!t->cell)
		t->cell = pb_cell_take(module);
	t->fresh = !t->cell->enter;
	note_tracers(t);
	if (!t->set) {
		const struct pb_target *only = t;

		while (!only->live)
			only++;
		pb_fill_cell(t->cell, pb_ops_cell(only->request->ops,
						  only->record, only->data,
						  pb_since));
		return;
	}
	t->cell->record = t->record;
	t->cell->ops = t->set->cells[0].ops;
	pb_cell_enter_set(t->cell, t->set);
	t->set = NULL;
}

/* Let nobody enter any more. */
static void empty_cell(struct patchbay_cell *cell)
{
	pb_retire((struct pb_set *)cell->set);
	__atomic_store_n(&cell->set, &pb_set_nobody, __ATOMIC_RELEASE);
	pb_cell_enter_by(cell, pb_enter_nothing);
}

static void swap_set(struct pb_target *t)
{
	note_tracers(t);
	pb_retire((struct pb_set *)t->cell->set);
	pb_cell_enter_set(t->cell, t->set);
	t->set = NULL;
}

/* What is to be there before sites are flipped: cells, and text for each. */
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
		fill_target(t);
		site = pb_target_site(t);
		text->nr += (size_t)pb_arch_publish(&site, (uintptr_t)t->cell,
						    &text->patches[text->nr]);
	}
	return 0;
}

/*
 * Make the sites of the plan's new cells call. That they are as they were when
 * the plan was made is what pb_text_apply() sees.
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
		site = pb_target_site(t);
		pb_arch_arm(&site, &text->patches[text->nr++]);
	}
	return 0;
}

static int publish(struct pb_plan *plan, struct pb_text_queue *text)
{
	int error = plan->stale ? pb_sync_core() : 0;

	if (!error)
		error = queue_publish(plan, text);
	if (!error)
		error = pb_text_flush(text);
	return error ? error : pb_sync_core();
}

static int flip(struct pb_plan *plan, struct pb_text_queue *text)
{
	int error = queue_arm(plan, text);

	return error ? error : pb_text_flush(text);
}

/* Both at once, or only the second; see strict.h. */
static int apply_strictly(int handle, struct pb_patch *tail, size_t nr_tail,
			  struct pb_patch *first, size_t nr_first)
{
	if (!nr_tail && !nr_first)
		return 0;
	pb_text_sort(tail, nr_tail);
	pb_text_sort(first, nr_first);
	return pb_strict_change(handle, tail, nr_tail, first, nr_first);
}

static int arm_strictly(struct pb_plan *plan, struct pb_text_queue *text)
{
	size_t nr_tail, nr_first;

	queue_publish(plan, text);
	nr_tail = text->nr;
	queue_arm(plan, text);
	nr_first = text->nr - nr_tail;
	text->nr = 0;
	return apply_strictly(text->handle, text->patches, nr_tail,
			      text->patches + nr_tail, nr_first);
}

/* Let nobody enter any more, and the site call no more, if it does. */
static void empty_target(struct pb_target *t, struct pb_text_queue *text)
{
	const struct pb_site site = pb_target_site(t);

	empty_cell(t->cell);
	if (pb_arch_site_state(&site) != PB_SITE_ARMED)
		return;
	pb_text_queue_room(text, 1);
	pb_arch_disarm(&site, &text->patches[text->nr++]);
}

/*
 * What counts is the cell: emptied, it calls no handler, whatever the text
 * does. So if a site cannot be disarmed (another patcher has changed it, the
 * process has lost its right to write text) it goes on calling the trampoline,
 * for nothing, and that is no error.
 */
static void disarm(struct pb_text_queue *text)
{
	if (pb_strict)
		apply_strictly(text->handle, NULL, 0, text->patches, text->nr);
	else
		pb_text_flush(text);
}

/*
 * No site is armed, so nobody has seen the fresh cells. The others a thread may
 * have entered that has been on its way since the function was armed before.
 */
static void take_back(struct pb_plan *plan)
{
	for (size_t i = plan->nr; i-- > 0;) {
		struct pb_target *t = &plan->targets[i];
		struct pb_module *module = t->module;

		if (t->step != PB_STEP_ARM || !t->cell)
			continue;
		if (!t->fresh) {
			empty_cell(t->cell);
			pb_mark_unsettled(module, 0);
			continue;
		}
		pb_retire_unseen((struct pb_set *)t->cell->set);
		pb_release_cell(t->cell);
		t->cell->enter = NULL;
		if (pb_cell_of(module, t->record) != t->cell)
			pb_cell_give_back(module, t->cell);
	}
}

/*
 * Some sites were flipped, and handlers may have run already. The others of
 * the plan's functions have not been touched; some may have no cell yet.
 */
static void roll_back(struct pb_plan *plan, struct pb_text_queue *text)
{
	for (size_t i = 0; i < plan->nr; i++) {
		struct pb_target *t = &plan->targets[i];

		if (t->step != PB_STEP_ARM || !t->cell)
			continue;
		empty_target(t, text);
		pb_mark_unsettled(t->module, 0);
	}
	disarm(text);
}

static int is_any_armed(const struct pb_plan *plan)
{
	for (size_t i = 0; i < plan->nr; i++) {
		const struct pb_target *t = &plan->targets[i];
		const struct pb_site site = pb_target_site(t);

		if (t->step == PB_STEP_ARM &&
		    pb_arch_site_state(&site) == PB_SITE_ARMED)
			return 1;
	}
	return 0;
}

/* All that can fail: the first tracers of functions. */
static int arm(struct pb_plan *plan, struct pb_text_queue *text)
{
	int error;

	if (!plan->steps[PB_STEP_ARM])
		return 0;
	if (pb_strict)
		error = arm_strictly(plan, text);
	else
		error = publish(plan, text);
	if (error && !is_any_armed(plan)) {
		take_back(plan);
		return error;
	}
	if (!error && !pb_strict)
		error = flip(plan, text);
	if (error)
		roll_back(plan, text);
	return error;
}

static void swap_and_disarm(struct pb_plan *plan, struct pb_text_queue *text)
{
	if (plan->nr_steps == plan->steps[PB_STEP_ARM])
		return;
	for (size_t i = 0; i < plan->nr; i++) {
		struct pb_target *t = &plan->targets[i];

		if (t->step == PB_STEP_SWAP)
			swap_set(t);
		else if (t->step == PB_STEP_DISARM)
			empty_target(t, text);
		else
			continue;
		if (plan->removes)
			pb_mark_unsettled(t->module, 1);
	}
	disarm(text);
}

/* Filters that also hold for modules to come, in the order they were given. */
static struct pb_filter *future;

static void forget(const struct pb_request *request, struct pb_filter **forgotten)
{
	struct pb_filter **link = &future, *filter;

	while ((filter = *link)) {
		if (filter->ops != request->ops ||
		    (!request->all &&
		     !pb_filter_equal(filter, request->filter))) {
			link = &filter->next;
			continue;
		}
		*link = filter->next;
		filter->next = *forgotten;
		*forgotten = filter;
	}
}

static void keep(struct pb_request *request)
{
	struct pb_filter **link = &future;

	while (*link)
		link = &(*link)->next;
	*link = request->filter;
	request->fresh = 0;
	request->filter->users++;
	request->filter->flags = request->flags;
	request->filter->ops = request->ops;
}

static void free_filters(struct pb_filter *forgotten)
{
	struct pb_filter *next;

	for (; forgotten; forgotten = next) {
		next = forgotten->next;
		pb_filter_free(forgotten);
	}
}

/* Modules come while we wait for handlers: this is said before. */
static void keep_filters(struct pb_request *requests,
			 struct pb_filter **forgotten)
{
	for (struct pb_request *r = requests; r; r = r->next) {
		if (r->disarm)
			forget(r, forgotten);
		else if (r->flags & PATCHBAY_ARM_FUTURE && r->fresh)
			keep(r);
	}
}

/* All that is changed, at once for who has the engine lock. */
static int put_to_use(struct pb_plan *plan, struct pb_request *requests,
		      struct pb_text_queue *text)
{
	struct pb_filter *forgotten = NULL;
	int error;

	pb_engine_lock();
	error = arm(plan, text);
	if (!error) {
		keep_filters(requests, &forgotten);
		if (plan->nr_steps)
			swap_and_disarm(plan, text);
	}
	pb_engine_unlock();
	free_filters(forgotten);
	return error;
}

/* What it takes to write text: nothing of that is asked for under the lock. */
static int prepare_text(const struct pb_plan *plan, struct pb_text_queue *text)
{
	int error;

	if (!plan->nr_steps)
		return 0;
	pb_count(&pb_stats.batches);
	/* Strict mode takes all at once. */
	error = pb_text_queue_init(text, plan->nr_steps * (PB_PUBLISH_MAX + 1),
				   pb_strict);
	if (!error && pb_strict)
		error = pb_strict_reserve(plan->nr_steps);
	/* Sets alone are exchanged without a write to text. */
	if (!error && plan->nr_steps != plan->steps[PB_STEP_SWAP])
		pb_text_queue_open(text);
	return error;
}

static int commit(struct pb_request *requests, struct pb_module *only,
		  enum pb_wait wait)
{
	struct pb_plan plan = { 0 };
	struct pb_text_queue text = { .handle = -1 };
	int error = pb_plan(&plan, requests, only);

	if (!error)
		error = prepare_text(&plan, &text);
	if (!error) {
		error = put_to_use(&plan, requests, &text);
		pb_free_unseen();
		if (wait == PB_WAIT && (error || plan.removes)) {
			int waited = error ? pb_settle_all(0) :
					     pb_settle(&plan);

			error = error ? error : waited;
		}
	}
	pb_plan_free(&plan);
	pb_text_queue_free(&text);
	return error;
}

/* On whatever function, at any time. */
static int was_armed(const struct patchbay_ops *ops)
{
	return ops->cells.first <= ops->cells.last;
}

/*
 * A function is to be armed that was disarmed a moment ago, and threads may still be
 * in the handlers that it had: its cell cannot be used again before they are out.
 * This is waiting before anything is changed, so that it took too long is another
 * error than it would be afterwards.
 */
static int wait_for_cells(void)
{
	int error = pb_settle_all(0);

	return error == -ETIMEDOUT ? -EAGAIN : error;
}

int pb_engine_commit(struct pb_request *requests, enum pb_wait wait)
{
	int error;

	pb_settle_what_is_over();
	error = commit(requests, NULL, wait);
	/* A module that comes while we wait may leave such a cell, too. */
	while (error == PB_UNSETTLED) {
		error = wait_for_cells();
		if (!error)
			error = commit(requests, NULL, wait);
	}
	/*
	 * Who takes a tracer from everywhere is about to free it. So that is waited
	 * for, too, which was left behind when it was disarmed before. But only now:
	 * the tracer is called no more, whoever else we wait for in vain.
	 */
	if (!error && requests && requests->all && was_armed(requests->ops))
		error = pb_settle_all(1);
	return error;
}

void pb_engine_module_added(struct pb_module *module)
{
	for (struct pb_filter *f = future; f; f = f->next) {
		struct pb_request request = { .ops = f->ops,
					      .filter = f,
					      .flags = f->flags };
		int error = commit(&request, module, PB_NO_WAIT);

		if (error)
			f->ops->error = error;
	}
}

void pb_engine_module_leaving(struct pb_module *module)
{
	module->gone = 1;
	pb_modules_gone++;
	pb_cells_redirect(module, pb_enter_nothing);
}
