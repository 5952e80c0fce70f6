/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the functions of a module that the bulk path can arm, and their groups. */
#include "change/bulk_text.h"

#include "cells/cell.h"
#include "change/bulk.h"
#include "change/plan.h"
#include "names/names.h"
#include "system/memory.h"

#include <errno.h>

/* Add a group for the shape of @record. Returns PB_NOT_BULK if there are too many shapes. */
static int add_group(struct pb_bulk *bulk, struct pb_bulk_module *b,
		     const struct patchbay_record *record,
		     struct pb_bulk_group **group)
{
	const uint32_t shape = pb_shape(record);
	unsigned int at = shape * 2654435761u >> 23;
	struct patchbay_ops *ops = bulk->request->ops;

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
 * Can a function with this @slot get a shared cell? Returns PB_NOT_BULK if it has a private
 * cell, or has a tracer: bulk_swap.c has removed those functions that it handles.
 */
static int check_owner(const struct pb_module *module, size_t i, uintptr_t slot)
{
	const unsigned int owner = pb_owner(module, i);
	const struct patchbay_cell *from;

	if (owner == PB_OWNER_NONE)
		return slot && pb_is_cell(module, slot) ? PB_NOT_BULK : 0;
	if (owner == PB_OWNER_GATE || slot != pb_owner_slot(module, owner))
		return PB_NOT_BULK;
	from = &module->shared->cells[owner].cell;
	return owner == PB_OWNER_NOBODY || !from->ops ? 0 : PB_NOT_BULK;
}

/* The value that pb_bulk_is_disarmed() expects for sites with the stub of @record. */
static uintptr_t reach_of(const struct pb_module *module,
			  const struct patchbay_record *record)
{
	return pb_bulk_reach((uintptr_t)pb_arch_reach(module, record),
			     module->low, module->high);
}

/* Is the site disarmed, and of the usual kind? Nearly all sites pass this fast check. */
static int is_disarmed(const struct pb_module *module,
		       const struct patchbay_record *record, uintptr_t entry,
		       uintptr_t site)
{
	const uintptr_t behind = site - entry, from = reach_of(module, record);

	if (entry < module->low + PB_BULK_BEFORE || site < entry ||
	    site >= module->high || module->high - site < PB_BULK_SITE_SIZE ||
	    (behind != PB_BULK_NEAR && behind != PB_BULK_FAR))
		return 0;
	return from && pb_bulk_is_disarmed(from, entry, site, behind) &&
	       !pb_names_is_moved(module, record);
}

/* Remove function @i from the choice. */
static void drop_function(struct pb_bulk_module *b, size_t i)
{
	b->choice.bits[i / 64] &= ~(UINT64_C(1) << i % 64);
}

/* Add functions @first to @end - 1, which have the owner @owner, to @group. */
static void add_run(struct pb_bulk_module *b, struct pb_group *group,
		    unsigned int owner, size_t first, size_t end)
{
	if (owner >= PB_OWNER_FIRST)
		pb_group_leave(&b->module->shared->cells[owner], group,
			       (uint32_t)(end - first));
	if (!group->nr)
		group->first = first;
	group->last = end - 1;
	group->led |= owner != PB_OWNER_NONE;
	group->nr += end - first;
	b->nr += end - first;
}

/*
 * Check function @i, and add it to its group. Leaves it out of the choice if the request may
 * skip it. Returns PB_NOT_BULK if it is armed or cannot be armed: a plan handles these. Sites
 * must be in the order of addresses and must not overlap: *@end is the end of the previous
 * site.
 */
static int check_function(struct pb_bulk *bulk, struct pb_bulk_module *b, size_t i,
			  uintptr_t *end)
{
	const struct pb_module *module = b->module;
	const struct patchbay_record *record = &module->records[i];
	const uintptr_t entry = pb_record_entry(record), site = pb_record_site(record);
	const unsigned int owner = pb_owner(module, i);
	struct pb_bulk_group *group = pb_bulk_group(b, pb_shape(record));
	const struct pb_target asked = { .record = record, .request = bulk->request };
	int error = pb_check_exit(&asked);
	uintptr_t slot;

	if (error == 1) {
		drop_function(b, i);
		return 0;
	}
	if (error || !is_disarmed(module, record, entry, site) ||
	    entry < *end + PB_BULK_BEFORE)
		return PB_NOT_BULK;
	*end = site + PB_BULK_SITE_SIZE;
	slot = pb_arch_slot(entry);
	error = check_owner(module, i, slot);
	if (!error && !group)
		error = add_group(bulk, b, record, &group);
	if (error)
		return error;
	add_run(b, &group->group, owner, i, i + 1);
	/* begin_run() now accepts other functions with this owner. */
	b->slot_of[owner] = slot;
	group->reach[site != entry] = reach_of(module, record);
	return 0;
}

/*
 * A run: adjacent chosen functions with the same group, shape, owner, value of the slot,
 * distance from entry to site (@behind), and pb_bulk_reach() of the site. These properties
 * are computed once, so a loop over the run has little to do.
 */
struct run {
	struct pb_group *group;
	uint32_t shape;
	unsigned int owner;
	uintptr_t slot, behind, reach;
};

/* Begin a run with function @i. Returns 0 if no function like it was checked before. */
static int begin_run(struct pb_bulk_module *b, struct run *run, size_t i)
{
	const struct patchbay_record *record = &b->module->records[i];
	const unsigned int owner = pb_owner(b->module, i);
	const uintptr_t behind = (uintptr_t)pb_record_behind(record);
	struct pb_bulk_group *group = pb_bulk_group(b, pb_shape(record));

	if (!group || !group->reach[behind != PB_BULK_NEAR] ||
	    b->slot_of[owner] == PB_BULK_NO_SLOT)
		return 0;
	*run = (struct run){ .group = &group->group,
				     .shape = pb_shape(record),
				     .owner = owner,
				     .slot = b->slot_of[owner],
				     .behind = behind,
				     .reach = group->reach[behind != PB_BULK_NEAR] };
	return 1;
}

static inline int run_has(const struct run *run, const struct patchbay_record *record,
			  uintptr_t behind)
{
	return pb_shape(record) == run->shape &&
	       pb_record_behind(record) == (intptr_t)behind;
}

static inline __attribute__((always_inline)) size_t
run_end_behind(const struct pb_module *module, const struct run *like, size_t i,
	       size_t end, uintptr_t lowest, const uintptr_t behind)
{
	const struct patchbay_record *record = &module->records[i],
				     *last = &module->records[end];
	const uintptr_t highest = module->high - PB_BULK_SITE_SIZE;
	const struct run run = *like;

	for (; record < last; record++) {
		uintptr_t entry, site;

		PB_KEEP_ONE(record);
		if (!run_has(&run, record, behind))
			break;
		entry = pb_record_entry(record);
		site = entry + behind;
		if (entry < lowest || site > highest)
			break;
		lowest = site + PB_BULK_SITE_SIZE + PB_BULK_BEFORE;
		/* Compute this here, while @site is in a register: saves a copy in the loop. */
		PB_KEEP_ONE(lowest);
		/* Both can be read: the site is in the module's text, near the entry. */
		if (!pb_bulk_is_disarmed(run.reach, entry, site, behind) ||
		    pb_bulk_slot_at(entry) != run.slot)
			break;
	}
	return (size_t)(record - module->records);
}

/*
 * Returns the end of the run that begins with function @i, at most @end. All functions before
 * @end have the same owner. The first entry must be at @lowest or above. Each distance has its
 * own loop. This function is not inlined, so the variables of a loop stay in registers.
 */
static __attribute__((noinline)) size_t run_end(const struct pb_module *module,
						const struct run *run, size_t i,
						size_t end, uintptr_t lowest)
{
	if (run->behind == PB_BULK_NEAR)
		return run_end_behind(module, run, i, end, lowest, PB_BULK_NEAR);
	if (run->behind == PB_BULK_FAR)
		return run_end_behind(module, run, i, end, lowest, PB_BULK_FAR);
	return i;
}

/*
 * A fast check_function() for function @i and its successors, as long as functions with the
 * same shape and owner have been checked before. This is true of nearly all. Returns the
 * first function that is left to check_function().
 */
static size_t check_usual(struct pb_bulk_module *b, size_t i, uintptr_t *end)
{
	const struct pb_module *module = b->module;
	size_t chosen = i, row = i, next = i;
	struct run run;

	for (; i < module->nr; i = pb_choice_next(&b->choice, next)) {
		if (i >= chosen)
			chosen = pb_choice_row_end(&b->choice, i);
		if (i >= row)
			row = pb_owner_row_end(module, i, chosen);
		if (!begin_run(b, &run, i))
			break;
		next = run_end(module, &run, i, row, *end + PB_BULK_BEFORE);
		if (next == i)
			break;
		*end = pb_record_site(&module->records[next - 1]) + PB_BULK_SITE_SIZE;
		add_run(b, run.group, run.owner, i, next);
	}
	return i;
}

/* Remove function @i from the choice: the tracer's @check has refused it. */
static void drop_refused(struct pb_bulk_module *b, size_t i)
{
	struct pb_module *module = b->module;
	const unsigned int owner = pb_owner(module, i);

	if (!pb_choice_has(&b->choice, i))
		return;
	drop_function(b, i);
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

/* Allocate what the checks need, and find the cells that only get another set. */
static int prepare_module(struct pb_bulk *bulk, struct pb_bulk_module *b)
{
	struct pb_module *module = b->module;
	int error = pb_plan_reach(module);

	if (!error)
		error = pb_shared_init(module);
	b->first = !pb_arch_is_open(module);
	pb_groups_begin(module);
	for (unsigned int owner = 0; owner < PB_NR_SHARED; owner++)
		b->slot_of[owner] = PB_BULK_NO_SLOT;
	return error ? error : pb_bulk_find_swaps(bulk, b);
}

int pb_bulk_check(struct pb_bulk *bulk, struct pb_bulk_module *b)
{
	struct pb_module *module = b->module;
	const struct patchbay_ops_attr *attr = &bulk->request->ops->attr;
	/* Exits are checked by shape. So can these functions be checked by shape alone? */
	const int usual = !pb_names_here(module);
	size_t i;
	/* Allow the first function at the beginning of the module. */
	uintptr_t end = module->low;
	int error;

	if (pb_choice_next(&b->choice, 0) == module->nr)
		return 0;
	error = prepare_module(bulk, b);
	if (!error && attr->check)
		error = pb_choice_copy(&b->asked, &b->choice);
	for (i = pb_choice_next(&b->choice, 0); i < module->nr && !error;
	     i = pb_choice_next(&b->choice, i + 1)) {
		if (usual)
			i = check_usual(b, i, &end);
		if (i == module->nr)
			break;
		error = check_function(bulk, b, i, &end);
	}
	/* Return to a plan before the tracer is asked: it must not be asked twice. */
	if (!error && b->nr && (attr->attach || attr->check) &&
	    !pb_groups_fit(module, b->nr_groups))
		error = PB_NOT_BULK;
	return error;
}
