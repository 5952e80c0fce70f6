/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "change/bulk_text.h"

#include "cells/cell.h"
#include "change/fill.h"
#include "change/settle.h"
#include "system/text.h"

#include <errno.h>

/*
 * The changes of text:
 *
 * PUBLISH  fill the slots of functions to arm
 * ARM      arm their sites
 * FIRST    both, in a module where no site was ever armed
 * UNDO     disarm the sites. Slots of functions that were to join a cell lead to the empty one
 * PART     disarm functions while other functions keep their cell: slots lead to the empty
 *          cell, and sites are disarmed
 * JOIN     undo PART
 * DISARM   disarm the sites of functions whose cell is empty
 */
enum change { PUBLISH, ARM, FIRST, UNDO, PART, JOIN, DISARM };

/*
 * A function. @group: the function's group, if the change needs it; otherwise that of an
 * earlier function. @own: its slot does not change, because it leads to a private cell.
 */
struct function {
	const struct patchbay_record *record;
	uintptr_t entry, site;
	unsigned int owner;
	struct pb_group *group;
	int own;
};

static inline void look_at(struct function *f, const struct patchbay_record *record)
{
	f->record = record;
	f->entry = pb_record_entry(record);
	f->site = pb_record_site(record);
}

/* Usually the group is that of the previous function. */
static inline void find_group(struct pb_bulk_module *b, struct function *f)
{
	const uint32_t shape = pb_shape(f->record);

	if (!f->group || f->group->shape != shape)
		f->group = &pb_bulk_group(b, shape)->group;
}

/*
 * Copies of a module's data for loops. The compiler assumes that each store to text may
 * change the originals.
 */
struct view {
	struct pb_bulk_module *b;
	const struct patchbay_record *records;
	const uint64_t *own;
	int parts;
};

static struct view view_of(struct pb_bulk_module *b)
{
	return (struct view){ .b = b,
			      .records = b->module->records,
			      .own = b->own.bits,
			      .parts = b->parts };
}

/* Does this change apply to the function of @record? @f has its addresses. */
static inline __attribute__((always_inline)) int
is_for(const struct view *v, const struct patchbay_record *record, enum change change,
       struct function *f)
{
	const size_t i = (size_t)(record - v->records);

	if (change == ARM || (change == DISARM && !v->parts))
		return 1;
	/* In a module where no site was ever armed, no thread has read a slot. */
	f->owner = change == FIRST ? PB_OWNER_NONE : pb_owner(v->b->module, i);
	f->own = v->own && v->own[i / 64] >> i % 64 & 1;
	if (change == PUBLISH || change == FIRST || change == UNDO)
		find_group(v->b, f);
	else if (f->own)
		return change == DISARM;
	else if (v->parts)
		return pb_is_left_by_all(
			       &v->b->module->shared->cells[f->owner]) ==
		       (change == DISARM);
	return 1;
}

static inline int publish(const struct function *f, uint8_t *slot)
{
	return f->own ? 0 :
			pb_bulk_slot(slot, (uintptr_t)f->group->cell,
				     f->owner != PB_OWNER_NONE);
}

/* @text: the offset from an address to its copy. */
static inline __attribute__((always_inline)) int
edit(const struct pb_module *module, const struct function *f, enum change change,
     uintptr_t text)
{
	uint8_t *slot = (uint8_t *)(text + f->entry - PB_BULK_BEFORE);
	uint8_t *site = (uint8_t *)(text + f->site);
	int error;

	switch (change) {
	case PUBLISH:
		return publish(f, slot);
	case FIRST:
		error = publish(f, slot);
		return error ? error : pb_bulk_flip(site, 1);
	case ARM:
		return pb_bulk_flip(site, 1);
	case PART:
		/* Ignore an error: a slot that another patcher changed leads to no cell of ours. */
		pb_bulk_slot(slot, pb_owner_slot(module, PB_OWNER_NOBODY), 1);
		/* Ignore an error: such a site may continue to call the trampoline, without effect. */
		pb_bulk_flip(site, 0);
		return 0;
	case JOIN:
		pb_bulk_flip(site, 1);
		pb_bulk_slot(slot, pb_owner_slot(module, f->owner), 1);
		return 0;
	case UNDO:
		if (!f->own && f->group->way == PB_GROUP_JOINS)
			pb_bulk_slot(slot, pb_owner_slot(module,
							 PB_OWNER_NOBODY), 1);
		/* fall through */
	case DISARM:
		pb_bulk_flip(site, 0);
	}
	return 0;
}

static inline uintptr_t begin_of(const struct function *f, enum change change)
{
	return change == ARM || change == DISARM ? f->site :
						   f->entry - PB_BULK_BEFORE;
}

/*
 * Are the functions known to be in the order of addresses? bulk_check.c has checked those to
 * arm.
 */
static inline int is_ordered(enum change change)
{
	return change != PART && change != JOIN && change != DISARM;
}

/* Functions that are farther apart than this are written separately. */
#define GAP 4096

/*
 * The loops' view of the block (text_block.h). A loop changes functions up to the end of the
 * copied text, so that most functions need one comparison. Then the block is extended or
 * written.
 * @text: the offset from an address to its copy
 * @last: the site of the block's last function; 0: it has none yet
 * @far:  sites up to this address need no extension of the block. The distance is less
 *        than GAP
 */
struct ready {
	uintptr_t text;
	uintptr_t last, far;
};

/*
 * Extend the block by the text from @from to @end, and update @ready. Returns 0 if the text
 * does not fit.
 */
static int go_on(struct pb_text_block *block, struct ready *ready, uintptr_t from,
		 uintptr_t end)
{
	if (!ready->last)
		pb_text_block_begin(block, from);
	else if (!pb_text_block_fits(block, end) || from - ready->last > GAP)
		return 0;
	ready->text = pb_text_block_add(block, end);
	ready->far = block->copied - PB_BULK_SITE_SIZE;
	ready->last = from - 1;
	return 1;
}

/* Write the block, up to its last function. Returns 0, PB_TEXT_CHANGED or an error. */
static int write_block(struct pb_bulk *bulk, struct ready *ready)
{
	bulk->block.end = ready->last + PB_BULK_SITE;
	*ready = (struct ready){ .last = 0 };
	return pb_text_block_write(&bulk->block, bulk->handle);
}

/*
 * Edit the functions from *@i to @end - 1 that are in the block. Afterwards *@i is the first
 * function that was not edited.
 */
static inline __attribute__((always_inline)) int
edit_row(const struct view *view, const enum change change, size_t *i, size_t end,
	 struct ready *ready)
{
	const struct pb_module *module = view->b->module;
	const struct view v = *view;
	const struct patchbay_record *record = &v.records[*i], *stop = &v.records[end];
	const uintptr_t text = ready->text, far = ready->far;
	struct function f = { .group = NULL };
	uintptr_t last = ready->last;
	int error = 0;

	for (; record < stop; record++) {
		PB_KEEP_ONE(record);
		look_at(&f, record);
		if (!is_for(&v, record, change, &f))
			continue;
		/* go_on() handles a function that begins within the last one. */
		if (f.site > far || (!is_ordered(change) && begin_of(&f, change) <= last))
			break;
		error = edit(module, &f, change, text);
		if (error)
			break;
		last = f.site;
	}
	ready->last = last;
	*i = (size_t)(record - v.records);
	return error;
}

static inline __attribute__((always_inline)) int
change_module(struct pb_bulk *bulk, struct pb_bulk_module *b,
	      const enum change change)
{
	struct pb_text_block *block = &bulk->block;
	const struct view view = view_of(b);
	const size_t nr = b->module->nr;
	size_t i = pb_choice_next(&b->choice, 0), first = i, end = i;
	struct ready ready = { .last = 0 };
	int error, worst = 0;

	while (i < nr || ready.last) {
		if (i < nr) {
			struct function f;

			if (i >= end)
				end = pb_choice_row_end(&b->choice, i);
			if (end > nr)
				end = nr;
			error = edit_row(&view, change, &i, end, &ready);
			if (error)
				return error;
			if (i == end) {
				i = pb_choice_next(&b->choice, i);
				continue;
			}
			look_at(&f, &view.records[i]);
			if (go_on(block, &ready, begin_of(&f, change),
					  f.site + PB_BULK_SITE_SIZE))
				continue;
		}
		error = write_block(bulk, &ready);
		if (error == PB_TEXT_CHANGED) {
			i = end = first;
			continue;
		}
		first = i;
		if (error && change != UNDO && change != JOIN &&
			 change != DISARM)
			return error;
		else if (error)
			worst = error;
	}
	return worst;
}

/* Each frequent change has its own loop. The others share one, which branches. */
static int change_functions(struct pb_bulk *bulk, struct pb_bulk_module *b,
			    enum change change)
{
	switch (change) {
	case ARM:
		return change_module(bulk, b, ARM);
	case FIRST:
		return change_module(bulk, b, FIRST);
	case DISARM:
		return change_module(bulk, b, DISARM);
	default:
		return change_module(bulk, b, change);
	}
}

/* Change all functions. Changes that undo continue after an error. */
static int change(struct pb_bulk *bulk, enum change change)
{
	int error = bulk->handle < 0 ? bulk->handle : 0;

	for (struct pb_bulk_module *b = bulk->modules; b && !error; b = b->next) {
		if (!b->nr || (change == PUBLISH && !b->slots))
			continue;
		if ((change == PUBLISH || change == ARM || change == FIRST) &&
		    b->first != (change == FIRST))
			continue;
		if ((change == PART || change == JOIN) && !b->parts)
			continue;
		error = change_functions(bulk, b, change);
		if (change == UNDO || change == JOIN || change == DISARM)
			error = 0;
	}
	return error;
}

/*
 * Record where slots lead now. Unless all writes are @done, read the slots. @seen: as in
 * settle_owners() of engine.c.
 */
static void settle_owners(const struct pb_bulk *bulk, int disarm, int done,
			  int seen)
{
	for (struct pb_bulk_module *b = bulk->modules; b; b = b->next) {
		struct pb_module *module = b->module;
		const struct view view = view_of(b);
		struct function f;

		if (disarm ? !b->parts : !b->slots)
			continue;
		f.group = NULL;
		for (size_t i = pb_choice_next(&b->choice, 0); i < module->nr;
		     i = pb_choice_next(&b->choice, i + 1)) {
			unsigned int owner = PB_OWNER_NOBODY;

			look_at(&f, &module->records[i]);
			if (!is_for(&view, f.record, disarm ? PART : PUBLISH, &f) ||
			    f.own)
				continue;
			if (!disarm)
				owner = pb_shared_number(module, f.group->cell);
			if (!seen && f.owner == PB_OWNER_NONE)
				continue;
			if (!done)
				owner = pb_owner_found(module, i, owner);
			pb_lead(module, i, owner);
		}
	}
}

/* Do all functions that leave @cell return to it? */
static int is_kept(const struct pb_shared_cell *cell)
{
	return cell->to && !cell->scattered && cell->to->cell == cell;
}

/* Record that the functions from @i to @end - 1, of the same shape, lead to the cell of @g. */
static void lead_alike(struct pb_bulk_module *b, const struct pb_group *g, size_t i,
		       size_t end)
{
	const unsigned int owner = pb_shared_number(b->module, g->cell);
	size_t next;

	for (; i < end; i = next) {
		next = b->own.bits ? pb_choice_same_end(&b->own, i, end) : end;
		if (!pb_bulk_is_own(b, i))
			pb_owner_set_row(b->module, i, next, owner);
	}
}

/* Record that the functions from @i to @end - 1 lead to the cells of their groups. */
static void lead_row(struct pb_bulk_module *b, size_t i, size_t end)
{
	const struct patchbay_record *records = b->module->records;
	size_t next;

	for (; i < end; i = next) {
		const uint32_t shape = pb_shape(&records[i]);
		const struct pb_group *g = &pb_bulk_group(b, shape)->group;

		for (next = i + 1; next < end && pb_shape(&records[next]) == shape;
		     next++)
			;
		/* In a group without a cell each function has a private one. */
		if (g->cell)
			lead_alike(b, g, i, next);
	}
}

/* A fast settle_owners() for functions that have all been armed. */
static void lead_all(struct pb_bulk_module *b)
{
	struct pb_module *module = b->module;
	struct pb_shared *shared = module->shared;

	for (size_t i = pb_choice_next(&b->choice, 0), end; i < module->nr;
	     i = pb_choice_next(&b->choice, end)) {
		end = pb_choice_row_end(&b->choice, i);
		lead_row(b, i, end);
	}
	for (unsigned int i = PB_OWNER_FIRST; i < shared->end; i++) {
		struct pb_shared_cell *cell = &shared->cells[i];

		if (cell->leaving && !is_kept(cell)) {
			cell->left = 1;
			pb_mark_unsettled(module, 0);
		}
		cell->nr -= cell->leaving;
	}
	for (const struct pb_group *g = b->groups; g; g = g->next)
		if (g->nr)
			pb_shared_join(g->cell, g->nr, g->first, g->last);
}

/* The first function from @i on with a private cell. The module's nr if there is none. */
static size_t own_next(const struct pb_bulk_module *b, size_t i)
{
	return b->own.bits ? pb_choice_next(&b->own, i) : b->module->nr;
}

/* Give private cells the tracer. No thread is inside them. */
static void fill_own(struct pb_bulk_module *b)
{
	struct pb_module *module = b->module;

	for (size_t i = own_next(b, 0); i < module->nr; i = own_next(b, i + 1)) {
		const struct patchbay_record *record = &module->records[i];
		struct patchbay_cell from =
			pb_bulk_group(b, pb_shape(record))->group.one;

		from.record = record;
		pb_fill_own(pb_cell_of(module, record), from);
	}
}

/* Empty the private cells: their functions were not armed, or are disarmed. */
static void empty_own(struct pb_bulk_module *b)
{
	struct pb_module *module = b->module;

	for (size_t i = own_next(b, 0); i < module->nr; i = own_next(b, i + 1))
		pb_empty_cell(pb_cell_of(module, &module->records[i]));
	if (b->nr_own)
		pb_mark_unsettled(module, 0);
}

static void fill_cells(struct pb_bulk *bulk)
{
	for (struct pb_bulk_module *b = bulk->modules; b; b = b->next) {
		for (struct pb_group *g = b->groups; g; g = g->next)
			if (g->nr)
				pb_fill_group(g);
		fill_own(b);
	}
}

static void take_back_cells(struct pb_bulk *bulk, int seen)
{
	for (struct pb_bulk_module *b = bulk->modules; b; b = b->next) {
		for (struct pb_group *g = b->groups; g; g = g->next)
			pb_unfill_group(g, seen);
		empty_own(b);
	}
}

/* Write the slots before the sites: threads read slots once sites are armed. */
static int publish_all(struct pb_bulk *bulk)
{
	int later = 0, error;

	for (const struct pb_bulk_module *b = bulk->modules; b; b = b->next)
		later |= b->nr && !b->first;
	if (!later)
		return 0;
	error = change(bulk, PUBLISH);
	/* The sync also makes the cells visible before a thread can find them. */
	return error ? error : pb_sync_core();
}

/* Connect sites to the trampolines in modules where that has not been done completely. */
static int open_all(const struct pb_bulk *bulk)
{
	int error = 0;

	for (const struct pb_bulk_module *b = bulk->modules; b && !error;
	     b = b->next)
		if (b->nr)
			error = pb_arch_open(b->module, bulk->handle);
	return error;
}

/* Sets *@seen if threads may have found the cells. */
static int arm_all(struct pb_bulk *bulk, int *seen)
{
	int error = publish_all(bulk);

	*seen = !error;
	if (!error)
		error = change(bulk, FIRST);
	if (!error)
		error = open_all(bulk);
	return error ? error : change(bulk, ARM);
}

int pb_bulk_arm(struct pb_bulk *bulk)
{
	int seen, error;

	fill_cells(bulk);
	error = arm_all(bulk, &seen);
	if (!error) {
		for (struct pb_bulk_module *b = bulk->modules; b; b = b->next)
			if (b->slots)
				lead_all(b);
		return 0;
	}
	change(bulk, UNDO);
	settle_owners(bulk, 0, 0, seen);
	take_back_cells(bulk, seen);
	return error;
}

static void empty_cells(struct pb_bulk_module *b)
{
	struct pb_shared *shared = b->module->shared;

	for (unsigned int i = PB_OWNER_FIRST; shared && i < shared->end; i++)
		if (shared->cells[i].leaving &&
		    pb_is_left_by_all(&shared->cells[i]))
			pb_empty_cell(&shared->cells[i].cell);
	pb_mark_unsettled(b->module, 1);
	empty_own(b);
}

int pb_bulk_disarm(struct pb_bulk *bulk)
{
	int parts = 0, error = 0;

	for (struct pb_bulk_module *b = bulk->modules; b; b = b->next)
		parts |= b->parts;
	if (parts)
		error = change(bulk, PART);
	if (error) {
		change(bulk, JOIN);
		settle_owners(bulk, 1, 0, 1);
		return error;
	}
	for (struct pb_bulk_module *b = bulk->modules; b; b = b->next)
		if (b->nr)
			empty_cells(b);
	/* An error does not matter: the cells are empty. See disarm() of engine.c. */
	change(bulk, DISARM);
	settle_owners(bulk, 1, 1, 1);
	return 0;
}
