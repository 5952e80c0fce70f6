/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include "cells/cell.h"
#include "change/bulk.h"
#include "names/names.h"
#include "system/lock.h"
#include "system/memory.h"
#include "system/stats.h"
#include "system/text.h"

#include <errno.h>

/* The smallest bulk request. For fewer functions, plans are faster and private cells smaller. */
#define MANY 64

/* Ask the tracer for its data in one module. All functions of a module have the same data. */
static int attach_bulk_module(struct pb_bulk *bulk, struct pb_bulk_module *b)
{
	struct patchbay_ops *ops = bulk->request->ops;
	struct pb_module *module = b->module;
	struct patchbay_target *targets;
	int error, own_data = 0;
	size_t nr = 0;

	targets = pb_malloc((b->nr + b->nr_swapped) * sizeof(*targets));
	if (!targets)
		return -ENOMEM;
	for (size_t i = 0; i < module->nr; i++)
		if (pb_choice_has(&b->choice, i) || pb_bulk_is_swapped(b, i))
			targets[nr++] = pb_function_target(&module->records[i],
							   ops->attr.data);
	error = pb_attach(ops, module, targets, nr, &own_data);
	for (struct pb_group *g = b->groups; g && !error; g = g->next)
		g->one.data = targets[0].data;
	for (struct pb_group *g = b->swaps; g && !error; g = g->next)
		pb_set_data(g->set, ops, targets[0].data);
	pb_free(targets);
	return error;
}

/* Choose a cell for each group. Returns PB_NOT_BULK if the module has no suitable cell. */
static int find_cells(struct pb_bulk_module *b)
{
	for (struct pb_group *g = b->groups; g; g = g->next) {
		if (!g->nr)
			continue;
		pb_group_find_cell(g, 0);
		if (!g->cell)
			return PB_NOT_BULK;
		b->slots |= g->cell->leaving != g->nr;
	}
	return 0;
}

/*
 * Remove the tracer from the shared cells of the chosen functions. If the tracer is alone on
 * a cell (owners->stays), the functions are disarmed; otherwise the cell gets a new set. If
 * only some functions of a cell are chosen, returns PB_NOT_BULK.
 */
static int leave_cells(struct pb_bulk *bulk, struct pb_bulk_module *b,
		       const struct pb_bulk_owners *owners)
{
	int error = 0;

	for (unsigned int i = PB_OWNER_FIRST; i < PB_NR_SHARED && !error; i++) {
		struct pb_shared_cell *cell = &b->module->shared->cells[i];

		if (!owners->nr[i] || !pb_set_find(&cell->cell, bulk->request->ops))
			continue;
		if (owners->nr[i] != cell->nr || (cell->left && !owners->stays[i]))
			return PB_NOT_BULK;
		if (owners->stays[i]) {
			pb_group_leave(cell, NULL, cell->nr);
			b->nr += cell->nr;
		} else {
			error = pb_bulk_swap_out(bulk, b, cell);
		}
	}
	return error;
}

/* Restrict the choice to functions that have the tracer. */
static int find_armed(struct pb_bulk *bulk, struct pb_bulk_module *b)
{
	const struct patchbay_ops *ops = bulk->request->ops;
	struct pb_module *module = b->module;
	struct pb_bulk_owners owners = { .nr = { 0 } };
	struct patchbay_cell *cell;
	struct pb_cell_walk walk;

	pb_groups_begin(module);
	pb_for_each_cell_in(module, ops->cells, walk, cell) {
		const struct pb_shared_cell *shared = pb_shared_of(module, cell);
		const struct patchbay_cell *tracers;
		size_t nr;

		if (!pb_set_find(cell, ops) || !pb_cell_users(module, cell))
			continue;
		if (!shared) {
			if (pb_choice_has(&b->choice, pb_record_index(module, cell->record)))
				return PB_NOT_BULK;
			continue;
		}
		tracers = pb_set_cells(cell, &nr);
		owners.stays[pb_shared_number(module, shared)] =
			(nr == 1 && tracers->ops == ops) & 1;
	}
	if (!module->shared)
		return 0;
	pb_bulk_count_owners(b, &owners);
	return leave_cells(bulk, b, &owners);
}

static int add_bulk_module(struct pb_bulk *bulk, struct pb_module *module)
{
	struct pb_request *request = bulk->request;
	struct pb_bulk_module *b;
	int error;

	if (request->disarm && !module->shared && !module->cells)
		return 0;
	b = pb_calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	b->module = module;
	error = pb_names_choose(module, request->filter, &b->choice,
				request->found);
	if (error) {
		pb_free(b);
		return error;
	}
	b->next = bulk->modules;
	bulk->modules = b;
	for (size_t i = 0; i < module->nr; i += 64)
		request->known += (size_t)__builtin_popcountll(
			b->choice.bits[i / 64]);
	return 0;
}

static void free_bulk_module(struct pb_bulk_module *b)
{
	pb_choice_free(&b->choice);
	pb_choice_free(&b->asked);
	pb_groups_free(b->groups);
	pb_groups_free(b->swaps);
	pb_free(b);
}

/* Drop modules that were unloaded while a callback of the tracer ran. */
static void drop_gone_modules(struct pb_bulk *bulk)
{
	struct pb_bulk_module **link = &bulk->modules, *b;

	while ((b = *link)) {
		if (!b->module->gone) {
			link = &b->next;
			continue;
		}
		*link = b->next;
		bulk->request->nr -= b->nr + b->nr_swapped;
		free_bulk_module(b);
	}
}

static void count_functions(struct pb_bulk *bulk)
{
	bulk->request->nr = 0;
	for (const struct pb_bulk_module *b = bulk->modules; b; b = b->next)
		bulk->request->nr += b->nr + b->nr_swapped;
}

/* Find the functions to change, and ask the tracer's @check about them. */
static int find_functions(struct pb_bulk *bulk)
{
	const struct pb_request *request = bulk->request;
	int error = 0;

	for (struct pb_bulk_module *b = bulk->modules; b && !error; b = b->next)
		error = request->disarm ? find_armed(bulk, b) :
					  pb_bulk_check(bulk, b);
	count_functions(bulk);
	if (!error && request->nr < MANY)
		error = PB_NOT_BULK;
	for (struct pb_bulk_module *b = bulk->modules; b && !error; b = b->next)
		error = pb_bulk_ask(bulk, b);
	count_functions(bulk);
	drop_gone_modules(bulk);
	return error;
}

static int prepare_bulk(struct pb_bulk *bulk, struct pb_module *only)
{
	struct pb_request *request = bulk->request;
	int error = 0;

	for (struct pb_module *m = pb_modules; m && !error; m = m->next)
		if (m->nr && !m->gone && (!only || m == only))
			error = add_bulk_module(bulk, m);
	drop_gone_modules(bulk);
	if (!error)
		error = pb_requests_check(request);
	if (!error && request->known < MANY)
		error = PB_NOT_BULK;
	if (!error)
		error = find_functions(bulk);
	for (struct pb_bulk_module *b = bulk->modules; b && !error; b = b->next)
		if (!request->disarm && request->ops->attr.attach && !b->module->gone &&
		    (b->nr || b->nr_swapped))
			error = attach_bulk_module(bulk, b);
	drop_gone_modules(bulk);
	for (struct pb_bulk_module *b = bulk->modules; b && !error; b = b->next)
		if (!request->disarm)
			error = find_cells(b);
	if (error)
		return error;
	bulk->copies = pb_malloc((size_t)2 * PB_BULK_COPY_SIZE);
	return bulk->copies ? 0 : -ENOMEM;
}

static int apply_bulk(struct pb_bulk *bulk)
{
	struct pb_request *request = bulk->request;
	struct pb_filter *forgotten = NULL;
	int error = 0, text = 0;

	for (const struct pb_bulk_module *b = bulk->modules; b; b = b->next)
		text |= b->nr != 0;
	if (text)
		bulk->handle = pb_text_open();
	pb_engine_lock();
	if (text && request->disarm)
		pb_bulk_disarm(bulk);
	else if (text)
		error = pb_bulk_arm(bulk);
	if (request->nr)
		pb_count(&pb_stats.batches);
	/* From here on nothing can fail. */
	if (!error) {
		pb_bulk_swap(bulk);
		pb_future_update(request, &forgotten);
	}
	pb_engine_unlock();
	pb_future_free(forgotten);
	if (bulk->handle >= 0)
		pb_text_close(bulk->handle);
	return error;
}

/* Is @r a single request, whose filter is a pattern or a long list? */
static int is_bulk_request(const struct pb_request *r)
{
	const struct pb_filter *filter = r ? r->filter : NULL;
	const struct patchbay_ops_attr *attr = r ? &r->ops->attr : NULL;

	return r && !r->next && !filter->cookies &&
	       (r->disarm || !attr->attach ||
		attr->flags & PATCHBAY_OPS_MODULE_DATA) &&
	       !pb_filter_plain_name(filter) &&
	       (!pb_filter_is_list(filter) || filter->nr >= MANY) &&
	       (!r->disarm || pb_cells_count_armed(r->ops) >= MANY);
}

int pb_bulk_commit(struct pb_request *request, struct pb_module *only,
		   enum pb_wait wait)
{
	struct pb_bulk bulk = { .request = request, .handle = -1 };
	int error, prepared;

	if (!is_bulk_request(request))
		return PB_NOT_BULK;
	pb_begin_batch();
	error = pb_requests_begin(request);
	if (!error)
		error = prepare_bulk(&bulk, only);
	pb_requests_end(request);
	prepared = !error;
	if (prepared)
		error = apply_bulk(&bulk);
	if (prepared && wait == PB_WAIT && error < 0)
		pb_settle_all(0);
	else if (prepared && wait == PB_WAIT && !error && request->disarm)
		error = pb_settle(&(const struct pb_plan){ 0 });
	while (bulk.modules) {
		struct pb_bulk_module *next = bulk.modules->next;

		free_bulk_module(bulk.modules);
		bulk.modules = next;
	}
	pb_free(bulk.copies);
	return error;
}
