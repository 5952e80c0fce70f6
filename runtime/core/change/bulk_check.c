/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the functions of a module that the bulk path can arm, and their groups. */
#include "change/bulk.h"

#include "cells/cell.h"
#include "names/names.h"
#include "system/memory.h"

#include <errno.h>

/* The tracer has an exit handler, and functions of this shape do not support exits: skip them. */
#define SKIP 1

/*
 * Add a group for the shape of @record. Returns 0, SKIP, -ENOMEM, or PB_NOT_BULK: the tracer
 * cannot be armed on such functions, or there are too many shapes.
 */
static __attribute__((noinline)) int add_group(struct pb_bulk *bulk, struct pb_bulk_module *b,
					       const struct patchbay_record *record,
					       struct pb_bulk_group **group)
{
	const uint32_t shape = pb_shape(record);
	unsigned int at = shape * 2654435761u >> 23;
	struct patchbay_ops *ops = bulk->request->ops;
	const struct pb_target asked = { .record = record, .request = bulk->request };
	const int error = pb_check_exit(&asked);

	if (error)
		return error == SKIP ? SKIP : PB_NOT_BULK;
	if (++b->nr_groups == PB_NR_SHARED)
		return PB_NOT_BULK;
	*group = pb_calloc(1, sizeof(**group));
	if (!*group)
		return -ENOMEM;
	(*group)->group = (struct pb_group){
		.next = b->groups,
		.module = b->module,
		.shape = shape,
		.one = pb_ops_cell(ops, record, ops->attr.data, pb_since),
	};
	b->groups = &(*group)->group;
	while (b->by_shape[at])
		at = (at + 1) % PB_NR_SHAPES;
	b->by_shape[at] = b->last = *group;
	return 0;
}

/*
 * Can a function with this @owner and @slot get a shared cell? Returns PB_NOT_BULK if it has a
 * private cell or a tracer. (bulk_swap.c has removed functions whose cell gets another set.)
 */
static inline int check_owner(const struct pb_module *module, unsigned int owner,
			      uintptr_t slot)
{
	const struct patchbay_cell *from;

	if (owner == PB_OWNER_NONE)
		return slot && pb_is_cell(module, slot) ? PB_NOT_BULK : 0;
	if (owner == PB_OWNER_GATE || slot != pb_owner_slot(module, owner))
		return PB_NOT_BULK;
	from = &module->shared->cells[owner].cell;
	return owner == PB_OWNER_NOBODY || !from->ops ? 0 : PB_NOT_BULK;
}

/*
 * Functions @first to @end - 1, which were checked, have the same owner and get @group.
 * @lowest: the end of the last site; the next function begins there or later.
 */
struct run {
	struct pb_group *group;
	unsigned int owner;
	size_t first, end;
	uintptr_t lowest;
};

static void add_run(struct pb_bulk_module *b, const struct run *run)
{
	struct pb_group *group = run->group;
	const size_t nr = run->end - run->first;

	if (!nr)
		return;
	if (run->owner >= PB_OWNER_FIRST)
		pb_group_leave(&b->module->shared->cells[run->owner], group, (uint32_t)nr);
	group->led |= run->owner != PB_OWNER_NONE;
	group->nr += nr;
	b->nr += nr;
}

/*
 * Check function @i, and add it to @run. Removes a function from the choice if the request may
 * skip the function. Returns PB_NOT_BULK if the function is armed or cannot be armed. Sites
 * must be in the order of addresses and must not overlap.
 */
static inline int check_function(struct pb_bulk *bulk, struct pb_bulk_module *b, size_t i,
				 struct run *run)
{
	const struct pb_module *module = b->module;
	const struct patchbay_record *record = &module->records[i];
	const uintptr_t entry = pb_record_entry(record), site = pb_record_site(record);
	const uintptr_t behind = site - entry;
	const unsigned int owner = pb_owner(module, i);
	struct pb_bulk_group *group = pb_bulk_group(b, pb_shape(record));
	uintptr_t *reach;
	int error;

	if (!group) {
		error = add_group(bulk, b, record, &group);
		if (error == SKIP)
			pb_choice_drop(&b->choice, i);
		if (error)
			return error == SKIP ? 0 : error;
	}
	/* Refuse overlaps, sites outside of the module, and unusual distances of site and entry. */
	if (entry < run->lowest + PB_BULK_BEFORE || site >= module->high ||
	    module->high - site < PB_BULK_SITE_SIZE ||
	    (behind != PB_BULK_NEAR && behind != PB_BULK_FAR))
		return PB_NOT_BULK;
	reach = &group->reach[behind != PB_BULK_NEAR];
	if (!*reach)
		*reach = pb_bulk_reach((uintptr_t)pb_arch_reach(module, record),
				       module->low, module->high);
	if (!*reach || !pb_bulk_is_disarmed(*reach, entry, site, behind))
		return PB_NOT_BULK;
	error = check_owner(module, owner, pb_arch_slot(entry));
	if (error)
		return error;
	if (run->group != &group->group || run->owner != owner || run->end != i) {
		add_run(b, run);
		run->group = &group->group;
		run->owner = owner;
		run->first = i;
	}
	run->end = i + 1;
	run->lowest = site + PB_BULK_SITE_SIZE;
	return 0;
}

/* Remove function @i from the choice: the tracer's @check has refused it. */
static void drop_refused(struct pb_bulk_module *b, size_t i)
{
	struct pb_module *module = b->module;
	const unsigned int owner = pb_owner(module, i);

	if (!pb_choice_has(&b->choice, i))
		return;
	pb_choice_drop(&b->choice, i);
	b->nr--;
	pb_bulk_group(b, pb_shape(&module->records[i]))->group.nr--;
	if (owner >= PB_OWNER_FIRST)
		module->shared->cells[owner].leaving--;
}

int pb_bulk_ask(struct pb_bulk *bulk, struct pb_bulk_module *b)
{
	const struct pb_module *module = b->module;
	struct pb_question *questions;
	size_t nr = 0;
	int error;

	if (!b->asked.bits || module->gone)
		return 0;
	questions = pb_malloc(module->nr * sizeof(*questions));
	if (!questions)
		return -ENOMEM;
	for (size_t i = pb_choice_next(&b->asked, 0); i < module->nr;
	     i = pb_choice_next(&b->asked, i + 1)) {
		pb_question_init(&questions[nr], &module->records[i],
				 bulk->request->ops->attr.data);
		questions[nr++].index = i;
	}
	error = pb_question_ask(bulk->request, questions, nr);
	for (size_t i = 0; i < nr && !module->gone; i++)
		if (questions[i].refused)
			drop_refused(b, questions[i].index);
	pb_free(questions);
	return error;
}

int pb_bulk_check(struct pb_bulk *bulk, struct pb_bulk_module *b)
{
	struct pb_module *module = b->module;
	const struct patchbay_ops_attr *attr = &bulk->request->ops->attr;
	/* Allow the first function at the beginning of the module. */
	struct run run = { .lowest = module->low };
	int error;

	if (pb_choice_next(&b->choice, 0) == module->nr)
		return 0;
	error = pb_names_has_moved(module) ? PB_NOT_BULK : pb_plan_reach(module);
	if (!error)
		error = pb_shared_init(module);
	b->first = !pb_arch_is_open(module);
	pb_groups_begin(module);
	if (!error)
		error = pb_bulk_find_swaps(bulk, b);
	if (!error && attr->check)
		error = pb_choice_copy(&b->asked, &b->choice);
	for (size_t i = pb_choice_next(&b->choice, 0); i < module->nr && !error;
	     i = pb_choice_next(&b->choice, i + 1))
		error = check_function(bulk, b, i, &run);
	add_run(b, &run);
	/* Return PB_NOT_BULK before the tracer's callbacks run: a plan would run them again. */
	if (!error && b->nr && (attr->attach || attr->check) &&
	    !pb_groups_fit(module, b->nr_groups))
		error = PB_NOT_BULK;
	return error;
}
