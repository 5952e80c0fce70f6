/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "change/plan.h"

#include "cells/cell.h"
#include "names/names.h"
#include "system/memory.h"
#include "system/sort.h"
#include "types/shared_cells.h"
#include "types/tracer.h"

#include <errno.h>
#include <string.h>

/* Compare targets by function, then by the order of their requests. */
static int by_function(const void *a, const void *b)
{
	const struct pb_target *left = a, *right = b;

	if (left->record != right->record)
		return left->record > right->record ? 1 : -1;
	return (left->request->order > right->request->order) -
	       (left->request->order < right->request->order);
}

static int add_target(struct pb_plan *plan, struct pb_request *request,
		      struct pb_module *module,
		      const struct patchbay_record *record, void *data)
{
	struct pb_target *target;

	if (pb_grow(&plan->targets, &plan->room, plan->nr + 1, sizeof(*plan->targets)))
		return -ENOMEM;
	target = &plan->targets[plan->nr++];
	*target = (struct pb_target){
		.module = module,
		.record = record,
		.request = request,
		.data = data,
	};
	if (plan->nr > plan->module + 1 &&
	    by_function(target - 1, target) > 0)
		plan->unsorted = 1;
	return 0;
}

static int add_to_arm(struct pb_plan *plan, struct pb_request *request,
		      struct pb_module *module, const struct pb_choice *choice)
{
	int error = 0;

	for (size_t i = pb_choice_next(choice, 0); i < module->nr && !error;
	     i = pb_choice_next(choice, i + 1)) {
		void *data = request->ops->attr.data;

		if (choice->items)
			data = request->filter->items[choice->items[i]].cookie;
		request->known++;
		error = add_target(plan, request, module, &module->records[i],
				   data);
	}
	return error;
}

/* Add a target for each function that shares @cell and is in @choice. */
static int add_sharers(struct pb_plan *plan, struct pb_request *request,
		       struct pb_module *module,
		       const struct pb_shared_cell *cell,
		       const struct pb_choice *choice)
{
	const unsigned int number = pb_shared_number(module, cell);
	int error = 0;

	for (size_t i = pb_choice_next(choice, 0); cell->nr && i < module->nr && !error;
	     i = pb_choice_next(choice, i + 1))
		if (pb_owner(module, i) == number)
			error = add_target(plan, request, module, &module->records[i], NULL);
	return error;
}

/*
 * Add targets for the functions to disarm. Find them by cells, not by records: a module may
 * have very many records. Functions that this batch arms are among the targets of @plan.
 */
static int add_to_disarm(struct pb_plan *plan, struct pb_request *request,
			 struct pb_module *module,
			 const struct pb_choice *choice)
{
	const size_t before = plan->nr;
	struct patchbay_cell *cell;
	struct pb_cell_walk walk;
	int error = 0;

	pb_for_each_cell_in(module, request->ops->cells, walk, cell) {
		const struct pb_shared_cell *shared = pb_shared_of(module, cell);

		if (!pb_set_find(cell, request->ops))
			continue;
		if (shared)
			error = add_sharers(plan, request, module, shared,
					    choice);
		else if (pb_choice_has(choice,
				       pb_record_index(module, cell->record)))
			error = add_target(plan, request, module, cell->record,
					   NULL);
		if (error)
			return error;
	}
	for (size_t i = plan->module; i < before && !error; i++) {
		struct pb_target target = plan->targets[i];

		if (!target.request->disarm &&
		    target.request->ops == request->ops &&
		    pb_choice_has(choice,
				  pb_record_index(module, target.record)))
			error = add_target(plan, request, module,
					   target.record, NULL);
	}
	return error;
}

static int add_request(struct pb_plan *plan, struct pb_request *request,
		       struct pb_module *module)
{
	struct pb_choice choice;
	int error;

	/* Nothing to disarm: this batch arms no function of the module, and no earlier batch did. */
	if (request->disarm && plan->nr == plan->module &&
	    (!pb_tracer_was_armed(request->ops) ||
	     (!module->cells && !module->shared)))
		return 0;
	error = pb_names_choose(module, request->filter, &choice,
				request->found);
	if (error)
		return error;
	if (module->gone)
		plan->nr = plan->module;
	else
		error = (request->disarm ? add_to_disarm : add_to_arm)(
			plan, request, module, &choice);
	pb_choice_free(&choice);
	return error;
}

/* Add the targets in @module, sorted so that the targets of a function are adjacent. */
static int add_module_targets(struct pb_plan *plan, struct pb_request *requests,
			      struct pb_module *module)
{
	int error = 0;

	plan->module = plan->nr;
	plan->unsorted = 0;
	for (struct pb_request *r = requests; r && !error && !module->gone; r = r->next)
		error = add_request(plan, r, module);
	if (plan->unsorted)
		pb_sort(plan->targets + plan->module,
		      plan->nr - plan->module, sizeof(*plan->targets),
		      by_function);
	return error;
}

/* Is it an error if @request finds no function? */
static int must_find(const struct pb_request *request)
{
	return !request->disarm &&
	       !(request->flags & (PATCHBAY_ARM_SKIP | PATCHBAY_ARM_FUTURE));
}

int pb_requests_begin(struct pb_request *requests)
{
	unsigned int order = 0;

	for (struct pb_request *r = requests; r; r = r->next) {
		r->nr = r->known = 0;
		r->own_data = r->filter->cookies;
		r->order = order++;
		/* A request with a list must find each function of the list. */
		if (!must_find(r) || !pb_filter_is_list(r->filter))
			continue;
		r->found = pb_calloc(r->filter->nr, 1);
		if (!r->found)
			return -ENOMEM;
	}
	return 0;
}

int pb_requests_check(const struct pb_request *requests)
{
	for (const struct pb_request *r = requests; r; r = r->next) {
		if (must_find(r) && !r->known)
			return -ENOENT;
		if (r->found && memchr(r->found, 0, r->filter->nr))
			return -ENOENT;
	}
	return 0;
}

void pb_requests_end(struct pb_request *requests)
{
	for (struct pb_request *r = requests; r; r = r->next) {
		pb_free(r->found);
		r->found = NULL;
	}
}

int pb_select(struct pb_plan *plan, struct pb_request *requests,
	      struct pb_module *only)
{
	int error = pb_requests_begin(requests);

	for (struct pb_module *m = pb_modules; m && !error; m = m->next)
		if (m->nr && !m->gone && (!only || m == only))
			error = add_module_targets(plan, requests, m);
	if (!error)
		error = pb_requests_check(requests);
	pb_requests_end(requests);
	return error;
}

struct pb_filter *pb_future;
static struct pb_filter **future_end = &pb_future;

/* Walk only the filters of the request's tracer: other tracers may have thousands of filters. */
static void forget(const struct pb_request *request, struct pb_filter **forgotten)
{
	struct pb_filter **same = &request->ops->future, *filter;

	while ((filter = *same)) {
		if (!request->all && !pb_filter_equal(filter, request->filter)) {
			same = &filter->same;
			continue;
		}
		*same = filter->same;
		*filter->link = filter->next;
		if (filter->next)
			filter->next->link = filter->link;
		else
			future_end = filter->link;
		filter->next = *forgotten;
		*forgotten = filter;
	}
}

static void keep(struct pb_request *request)
{
	struct pb_filter *filter = request->filter;

	request->fresh = 0;
	filter->users++;
	filter->flags = request->flags;
	filter->ops = request->ops;
	filter->same = request->ops->future;
	request->ops->future = filter;
	filter->next = NULL;
	filter->link = future_end;
	*future_end = filter;
	future_end = &filter->next;
}

void pb_future_free(struct pb_filter *forgotten)
{
	struct pb_filter *next;

	for (; forgotten; forgotten = next) {
		next = forgotten->next;
		pb_filter_free(forgotten);
	}
}

void pb_future_update(struct pb_request *requests, struct pb_filter **forgotten)
{
	for (struct pb_request *r = requests; r; r = r->next) {
		if (r->disarm)
			forget(r, forgotten);
		else if (r->flags & PATCHBAY_ARM_FUTURE && r->fresh)
			keep(r);
	}
}
