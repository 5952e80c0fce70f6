/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "change/plan.h"

#include "cells/cell.h"
#include "cells/site.h"
#include "change/place.h"
#include "names/names.h"
#include "system/lock.h"
#include "system/memory.h"
#include "types/call.h"
#include "types/tracer.h"

#include <errno.h>
#include <string.h>

/*
 * The new tracers of a function, while the plan computes them. @from: the target that arms
 * each tracer; NULL: the tracer is armed already.
 */
struct list {
	struct patchbay_cell *cells;
	struct pb_target **from;
	size_t nr, room, kept;
};

/* Fill @list with the tracers of @target's cell, if any. Reserves space for @more tracers. */
static int start_list(struct list *list, const struct pb_target *target,
		      size_t more)
{
	const struct patchbay_cell *cell = target->cell, *cells = NULL;
	size_t nr = 0, room = list->room;

	if (cell && cell->ops)
		cells = pb_set_cells(cell, &nr);
	if (pb_grow(&list->cells, &room, nr + more, sizeof(*list->cells)) ||
	    pb_grow(&list->from, &list->room, nr + more, sizeof(struct pb_target *)))
		return -ENOMEM;
	list->nr = list->kept = nr;
	for (size_t i = 0; i < nr; i++) {
		list->cells[i] = pb_ops_cell(cells[i].ops, target->record,
					     cells[i].data, cells[i].since);
		list->from[i] = NULL;
	}
	return 0;
}

static void remove_from_list(struct list *list, size_t at)
{
	size_t behind = list->nr - at - 1;

	list->kept -= !list->from[at];
	list->nr--;
	memmove(&list->cells[at], &list->cells[at + 1],
		behind * sizeof(*list->cells));
	memmove(&list->from[at], &list->from[at + 1],
		behind * sizeof(struct pb_target *));
}

int pb_plan_reach(struct pb_module *module)
{
	void *reach;
	int error;

	if (module->have_reach)
		return 0;
	pb_may_allocate();
	reach = pb_arch_map_reach(module, &error);
	if (error)
		return error;
	pb_engine_lock();
	module->reach = reach;
	module->have_reach = 1;
	pb_engine_unlock();
	return 0;
}

/* Can the site of this function be armed, or stay armed? */
static int check_site(const struct pb_plan *plan, struct pb_target *target)
{
	const int known = pb_is_led(target->module, target->record);
	const int in_use = target->cell && target->cell->ops;
	int state, error = pb_plan_reach(target->module);
	struct pb_site site;

	if (error)
		return error;
	site = pb_site_of(target->module, target->record);
	state = pb_site_state_of(target->module, &site);
	/*
	 * Refuse a site that other code has changed: armed without a cell, or disarmed with
	 * tracers. Refuse a changed slot, too: threads may be reading it.
	 */
	if (state < 0 || known < 0 || (state == PB_SITE_ARMED ? !known : in_use)) {
		if (!plan->is_trial)
			pb_count_refused(target->module, target->record);
		return -EILSEQ;
	}
	target->armed = state == PB_SITE_ARMED;
	return in_use ? 0 : pb_arch_prepare(&site);
}

/* May @request skip a function that cannot be armed because of @error? */
static int may_skip(const struct pb_request *request, int error)
{
	return request->flags & PATCHBAY_ARM_SKIP &&
	       (error == -EILSEQ || error == -ERANGE || error == -EOPNOTSUPP ||
		error == -E2BIG);
}

int pb_check_exit(const struct pb_target *asked)
{
	int error = asked->request->ops->attr.exit ? pb_call_check(asked->record) : 0;

	return may_skip(asked->request, error) ? 1 : error;
}

/*
 * The plan asks a tracer once about a function that has @nr targets. Returns the target that
 * stores the answer for the last target's tracer, or the last target if that was not asked.
 */
static const struct pb_target *find_asked(const struct pb_target *target, uint32_t nr)
{
	const struct pb_target *last = &target[nr - 1];

	for (; target < last; target++)
		if (target->asked && target->request->ops == last->request->ops)
			break;
	return target;
}

/* May the tracer of target @i be armed? Returns 0, 1 to skip the function, or an error. */
static int check_target(const struct pb_target *target, uint32_t i)
{
	return find_asked(target, i + 1)->refused ? 1 : pb_check_exit(&target[i]);
}

static void count_target(struct pb_target *asked)
{
	asked->request->nr++;
	asked->counted = 1;
}

static int add_to_list(struct list *list, struct pb_target *asked)
{
	struct patchbay_ops *ops = asked->request->ops;
	int word = 0;

	if (ops->attr.exit)
		word = pb_set_find_word(list->cells, list->nr);
	if (word < 0)
		return word;
	list->cells[list->nr] = pb_ops_cell(ops, asked->record, asked->data,
					    pb_call_since(pb_since, (unsigned int)word));
	list->from[list->nr] = asked;
	list->nr++;
	return 0;
}

/* Apply all requests for one function to the list. */
static int apply_requests(const struct pb_plan *plan, struct list *list,
			  struct pb_target *target)
{
	int usable = 1;

	for (uint32_t i = 0; i < target->nr; i++) {
		struct pb_target *asked = &target[i];
		struct pb_request *request = asked->request;
		size_t at = 0;
		int error;

		while (at < list->nr && list->cells[at].ops != request->ops)
			at++;
		if (request->disarm) {
			if (at < list->nr) {
				remove_from_list(list, at);
				count_target(asked);
			}
			continue;
		}
		if (at == list->nr && pb_may_be_inside(target->module,
						       target->cell, request->ops))
			return PB_UNSETTLED;
		error = at < list->nr ? 0 : check_target(target, i);
		if (error < 0)
			return error;
		if (error)
			continue;
		if (usable == 1)
			usable = check_site(plan, target);
		if (may_skip(request, usable))
			continue;
		if (usable < 0)
			return usable;
		if (at < list->nr)
			continue;
		error = add_to_list(list, asked);
		if (may_skip(request, error))
			continue;
		if (error)
			return error;
		count_target(asked);
	}
	return 0;
}

/* Choose the step that gives a function the tracers of @list. */
static int finish_step(struct pb_plan *plan, struct pb_target *target,
		       const struct list *list, size_t before)
{
	if (list->kept == before && list->nr == before)
		return 0;
	plan->removes |= list->kept < before;
	for (size_t i = 0; i < list->nr; i++)
		if (list->from[i])
			list->from[i]->arms = 1;
	target->step = !list->nr ? PB_STEP_DISARM : before ? PB_STEP_SWAP : PB_STEP_ARM;
	plan->steps[target->step]++;
	plan->nr_steps++;
	if (!list->nr || (!before && list->nr == 1))
		return 0;
	plan->sets = 1;
	target->set = pb_set_new(list->cells, list->nr);
	return target->set ? 0 : -ENOMEM;
}

/* May threads be inside a cell of the function that was emptied when it was disarmed? */
static int is_unsettled(const struct pb_target *target)
{
	const struct pb_shared *shared = target->module->shared;
	const struct patchbay_cell *own = NULL;

	if (shared && shared->own)
		own = shared->own[pb_record_index(target->module, target->record)];
	return (target->cell && target->cell->set == &pb_set_nobody) ||
	       (own && own->set == &pb_set_nobody);
}

static int make_steps(struct pb_plan *plan)
{
	struct list list = { 0 };
	int error = 0;

	for (size_t i = 0, end; i < plan->nr && !error; i = end) {
		struct pb_target *target = &plan->targets[i];
		size_t before;

		end = plan->tried = pb_function_begin(plan, i);
		if (is_unsettled(target)) {
			error = PB_UNSETTLED;
			break;
		}
		error = start_list(&list, target, end - i);
		before = list.nr;
		if (!error)
			error = apply_requests(plan, &list, target);
		if (!error)
			error = finish_step(plan, target, &list, before);
	}
	pb_free(list.cells);
	pb_free(list.from);
	return error;
}

/* Ask the tracer of @request for the data of the functions of one module. */
static int attach_module(struct pb_plan *plan, struct pb_request *request,
			 size_t start, size_t end,
			 struct patchbay_target *asked)
{
	size_t nr = 0;
	int error;

	if (plan->targets[start].module->gone)
		return 0;
	for (size_t i = start; i < end; i++) {
		const struct pb_target *target = &plan->targets[i];

		if (target->arms && target->request == request)
			asked[nr++] = pb_function_target(target->record,
							 target->data);
	}
	if (!nr)
		return 0;
	error = pb_attach(request->ops, plan->targets[start].module, asked, nr,
			  &request->own_data);
	for (size_t i = start, j = 0; i < end; i++) {
		struct pb_target *target = &plan->targets[i];

		if (target->arms && target->request == request)
			target->data = asked[j++].data;
	}
	return error;
}

static int attach_request(struct pb_plan *plan, struct pb_request *request)
{
	struct patchbay_target *asked;
	int error = 0;

	if (request->disarm || !request->ops->attr.attach || !request->nr)
		return 0;
	asked = pb_malloc(request->nr * sizeof(*asked));
	if (!asked)
		return -ENOMEM;
	for (size_t i = 0, end; i < plan->nr && !error; i = end) {
		end = pb_plan_module_end(plan, i);
		error = attach_module(plan, request, i, end, asked);
	}
	pb_free(asked);
	return error;
}

/* Drop the targets of modules that were unloaded while a callback ran. */
static void drop_gone_targets(struct pb_plan *plan)
{
	size_t nr = 0;

	for (size_t i = 0; i < plan->nr; i++) {
		struct pb_target *target = &plan->targets[i];

		if (!target->module->gone) {
			if (nr < i)
				plan->targets[nr] = *target;
			nr++;
			continue;
		}
		if (target->step != PB_STEP_NONE) {
			plan->steps[target->step]--;
			plan->nr_steps--;
		}
		target->request->nr -= target->counted;
		pb_free(target->set);
	}
	plan->nr = nr;
}

/* Store the tracers' data into the new sets. */
static void take_data(struct pb_plan *plan)
{
	for (size_t i = 0; plan->sets && i < plan->nr; i++) {
		const struct pb_target *target = &plan->targets[i];

		for (uint32_t j = 0; target->set && j < target->nr; j++)
			if (target[j].arms)
				pb_set_data(target->set,
					    target[j].request->ops,
					    target[j].data);
	}
}

static void undo_steps(struct pb_plan *plan, struct pb_request *requests)
{
	for (size_t i = 0; i < plan->nr; i++) {
		struct pb_target *target = &plan->targets[i];

		pb_free(target->set);
		target->set = NULL;
		target->step = PB_STEP_NONE;
		target->arms = target->counted = 0;
	}
	memset(plan->steps, 0, sizeof(plan->steps));
	plan->nr_steps = 0;
	plan->removes = plan->sets = 0;
	for (struct pb_request *r = requests; r; r = r->next)
		r->nr = 0;
}

/*
 * Call the tracers' @check for all functions up to the first one that cannot be armed for
 * another reason. So a tracer knows at which function the batch failed. To find that
 * function, make the steps as if the tracers refused none. If a step returns PB_UNSETTLED or
 * -ENOMEM, no tracer is asked.
 */
static int ask_checks(struct pb_plan *plan, struct pb_request *requests)
{
	const struct pb_request *r = requests;
	int error;

	while (r && (r->disarm || !r->ops->attr.check))
		r = r->next;
	if (!r)
		return 0;
	plan->is_trial = 1;
	error = make_steps(plan);
	plan->is_trial = 0;
	if (error != PB_UNSETTLED && error != -ENOMEM)
		error = pb_question_ask_plan(plan, requests, plan->tried);
	undo_steps(plan, requests);
	drop_gone_targets(plan);
	return error;
}

int pb_plan(struct pb_plan *plan, struct pb_request *requests,
	    struct pb_module *only)
{
	int error;

	pb_begin_batch();
	error = pb_select(plan, requests, only);
	drop_gone_targets(plan);
	if (error || !plan->nr)
		return error;
	error = ask_checks(plan, requests);
	if (!error)
		error = make_steps(plan);
	for (struct pb_request *r = requests; r && !error; r = r->next)
		error = attach_request(plan, r);
	drop_gone_targets(plan);
	if (error)
		return error;
	take_data(plan);
	return pb_place(plan);
}

void pb_plan_free(struct pb_plan *plan)
{
	for (size_t i = 0; plan->sets && i < plan->nr; i++)
		pb_free(plan->targets[i].set);
	pb_groups_free(plan->groups);
	pb_free(plan->targets);
}
