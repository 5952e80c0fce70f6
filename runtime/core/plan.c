/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plan.h"

#include "call.h"
#include "cell.h"
#include "lock.h"
#include "names.h"
#include "place.h"
#include "select.h"
#include "site.h"
#include "tracer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * The tracers of a function while they are worked out. @from says by which
 * request each was armed; NULL: it was before.
 */
struct list {
	struct patchbay_cell *cells;
	struct pb_target **from;
	size_t nr, room, kept;
};

static void drop_list(struct list *list)
{
	free(list->cells);
	free(list->from);
}

/* Take over the tracers of @target's cell, which may be NULL, with room for @more. */
static int start_list(struct list *list, const struct pb_target *target,
		      size_t more)
{
	const struct patchbay_cell *cell = target->cell, *cells = NULL;
	size_t nr = 0;

	if (cell && cell->ops)
		cells = pb_set_cells(cell, &nr);
	if (nr + more > list->room) {
		size_t room = 2 * (nr + more);

		drop_list(list);
		list->room = 0;
		list->cells = malloc(room * sizeof(*list->cells));
		list->from = malloc(room * sizeof(struct pb_target *));
		if (!list->cells || !list->from)
			return -ENOMEM;
		list->room = room;
	}
	list->nr = list->kept = nr;
	for (size_t i = 0; i < nr; i++) {
		list->cells[i] = pb_ops_cell(cells[i].ops, target->record,
					     cells[i].data, cells[i].since);
		list->from[i] = NULL;
	}
	return 0;
}

/* The place of @ops on the list, or its end. */
static size_t find_ops(const struct list *list, const struct patchbay_ops *ops)
{
	size_t i = 0;

	while (i < list->nr && list->cells[i].ops != ops)
		i++;
	return i;
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

/* Can the site of this function be armed, or be gone on with? */
static int check_site(struct pb_target *target)
{
	const int known = pb_is_led(target->module, target->record);
	const int in_use = target->cell && target->cell->ops;
	int state, error = pb_plan_reach(target->module);
	struct pb_site site;

	if (error)
		return error;
	site = pb_target_site(target);
	state = pb_site_state_of(target->module, &site);
	/*
	 * Flipped, but not by us: armed without a cell, or the other way; or the
	 * slot was changed, and threads may be looking at it.
	 */
	if (state < 0 || known < 0 || (state == PB_SITE_ARMED ? !known : in_use)) {
		pb_count_refused(target->module, target->record);
		return -EILSEQ;
	}
	target->armed = state == PB_SITE_ARMED;
	return in_use ? 0 : pb_arch_prepare(&site);
}

int pb_may_skip(const struct pb_request *request, int error)
{
	return request->flags & PATCHBAY_ARM_SKIP &&
	       (error == -EILSEQ || error == -ERANGE || error == -EOPNOTSUPP ||
		error == -E2BIG);
}

static struct patchbay_target target_of(const struct pb_target *target)
{
	return pb_function_target(target->record, target->data);
}

int pb_check_function(const struct pb_target *asked)
{
	const struct patchbay_ops_attr *attr = &asked->request->ops->attr;
	int error;

	if (attr->check) {
		const struct patchbay_target target = target_of(asked);

		error = attr->check(attr->check_arg, &target);
		if (error < 0)
			return asked->request->flags & PATCHBAY_ARM_SKIP ?
				       1 :
				       error;
	}
	error = attr->exit ? pb_call_check(asked->record) : 0;
	return pb_may_skip(asked->request, error) ? 1 : error;
}

/* Put the tracer of @asked on the list, at its end. */
static int add_to_list(struct list *list, struct pb_target *asked)
{
	struct patchbay_ops *ops = asked->request->ops;
	int word = 0;

	if (ops->attr.exit)
		word = pb_set_find_word(list->cells, list->nr);
	if (word < 0)
		return word;
	list->cells[list->nr] = pb_ops_cell(ops, asked->record, asked->data,
					    pb_since | (uint64_t)word);
	list->from[list->nr] = asked;
	list->nr++;
	return 0;
}

/* Carry out what all requests ask of one function, on the list. */
static int apply_requests(struct list *list, struct pb_target *target)
{
	int usable = 1;

	for (uint32_t i = 0; i < target->nr; i++) {
		struct pb_target *asked = &target[i];
		struct pb_request *request = asked->request;
		size_t at = find_ops(list, request->ops);
		int error;

		if (request->disarm) {
			if (at < list->nr) {
				remove_from_list(list, at);
				request->nr++;
			}
			continue;
		}
		if (at == list->nr && pb_may_be_inside(target->module,
						       target->cell, request->ops))
			return PB_UNSETTLED;
		/* First, so that a tracer knows at which function it failed. */
		error = at < list->nr ? 0 : pb_check_function(asked);
		if (error < 0)
			return error;
		if (error)
			continue;
		if (usable == 1)
			usable = check_site(target);
		if (pb_may_skip(request, usable))
			continue;
		if (usable < 0)
			return usable;
		if (at < list->nr)
			continue;
		error = add_to_list(list, asked);
		if (pb_may_skip(request, error))
			continue;
		if (error)
			return error;
		request->nr++;
	}
	return 0;
}

static void take_step(struct pb_plan *plan, struct pb_target *target,
		      enum pb_step step)
{
	target->step = step;
	plan->steps[step]++;
	plan->nr_steps++;
}

/* What has to be done for a function to come to the tracers of @list. */
static int finish_step(struct pb_plan *plan, struct pb_target *target,
		       const struct list *list, size_t before)
{
	if (list->kept == before && list->nr == before)
		return 0;
	plan->removes |= list->kept < before;
	for (size_t i = 0; i < list->nr; i++)
		if (list->from[i])
			list->from[i]->arms = 1;
	take_step(plan, target,
		  !list->nr ? PB_STEP_DISARM :
		  before    ? PB_STEP_SWAP :
			      PB_STEP_ARM);
	if (!list->nr || (!before && list->nr == 1))
		return 0;
	plan->sets = 1;
	target->set = pb_set_new(list->cells, list->nr);
	return target->set ? 0 : -ENOMEM;
}

/*
 * What nearly all functions have: one request, by which the first tracer comes
 * or the only one goes. 0: this is none; else 1, or a negative errno.
 */
static int make_simple_step(struct pb_plan *plan, struct pb_target *target)
{
	const struct patchbay_cell *cell = target->cell;
	struct pb_request *request = target->request;

	if (target->nr != 1)
		return 0;
	if (request->disarm) {
		if (!cell || cell->ops != request->ops || cell->set)
			return 0;
		plan->removes = 1;
		take_step(plan, target, PB_STEP_DISARM);
	} else {
		int error;

		if (cell && cell->ops)
			return 0;
		error = pb_check_function(target);
		if (error)
			return error;
		error = check_site(target);
		if (error)
			return pb_may_skip(request, error) ? 1 : error;
		target->arms = 1;
		take_step(plan, target, PB_STEP_ARM);
	}
	request->nr++;
	return 1;
}

/* What is to be done to each function. */
static int make_steps(struct pb_plan *plan)
{
	struct list list = { 0 };
	int error = 0;

	for (size_t i = 0, end; i < plan->nr && !error; i = end) {
		struct pb_target *target = &plan->targets[i];
		size_t before;

		for (end = i + 1; end < plan->nr && plan->targets[end].record ==
							    target->record;
		     end++)
			;
		target->nr = (uint32_t)(end - i);
		target->cell = pb_cell_of(target->module, target->record);
		if (target->cell && target->cell->set == &pb_set_nobody) {
			error = PB_UNSETTLED;
			break;
		}
		error = make_simple_step(plan, target);
		if (error) {
			error = error < 0 ? error : 0;
			continue;
		}
		error = start_list(&list, target, end - i);
		before = list.nr;
		if (!error)
			error = apply_requests(&list, target);
		if (!error)
			error = finish_step(plan, target, &list, before);
	}
	drop_list(&list);
	return error;
}

int pb_attach(const struct patchbay_ops *ops, const struct pb_module *module,
	      struct patchbay_target *targets, size_t nr, int *own_data)
{
	const struct patchbay_ops_attr *attr = &ops->attr;
	int error = attr->attach(attr->data, &module->info, targets, nr);
	int differ = 0;

	for (size_t i = 1; i < nr; i++)
		differ |= targets[i].data != targets[0].data;
	*own_data |= differ;
	if (error < 0)
		return error;
	return differ && attr->flags & PATCHBAY_OPS_MODULE_DATA ? -EINVAL : 0;
}

/* Ask the tracer of @request for the data of the functions of one module. */
static int attach_module(struct pb_plan *plan, struct pb_request *request,
			 size_t start, size_t end,
			 struct patchbay_target *asked)
{
	size_t nr = 0;
	int error;

	for (size_t i = start; i < end; i++) {
		const struct pb_target *target = &plan->targets[i];

		if (target->arms && target->request == request)
			asked[nr++] = target_of(target);
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

static int attach(struct pb_plan *plan, struct pb_request *request)
{
	struct patchbay_target *asked;
	int error = 0;

	if (request->disarm || !request->ops->attr.attach || !request->nr)
		return 0;
	asked = malloc(request->nr * sizeof(*asked));
	if (!asked)
		return -ENOMEM;
	for (size_t i = 0, end; i < plan->nr && !error; i = end) {
		const struct pb_module *module = plan->targets[i].module;

		for (end = i; end < plan->nr &&
			      plan->targets[end].module == module;
		     end++)
			;
		error = attach_module(plan, request, i, end, asked);
	}
	free(asked);
	return error;
}

/* Put what tracers said into the sets that are ready for it. */
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

int pb_plan(struct pb_plan *plan, struct pb_request *requests,
	    struct pb_module *only)
{
	int error;

	pb_begin_batch();
	error = pb_select(plan, requests, only);
	if (error || !plan->nr)
		return error;
	error = make_steps(plan);
	for (struct pb_request *r = requests; r && !error; r = r->next)
		error = attach(plan, r);
	if (error)
		return error;
	take_data(plan);
	return pb_place(plan);
}

void pb_plan_free(struct pb_plan *plan)
{
	for (size_t i = 0; plan->sets && i < plan->nr; i++)
		free(plan->targets[i].set);
	pb_groups_free(plan->groups);
	free(plan->targets);
}
