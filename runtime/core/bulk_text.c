/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bulk_text.h"

#include "bulk_block.h"
#include "cell.h"
#include "fill.h"
#include "settle.h"
#include "text.h"

#include <errno.h>

/*
 * What is done to text:
 *
 * PUBLISH  slots of functions to be armed
 * ARM      their sites
 * FIRST    both, in a module of which no site was armed so far
 * UNDO     sites back, and slots of those who would have joined others to nobody
 * DISARM   sites of those whose cell was emptied
 */
enum change { PUBLISH, ARM, FIRST, UNDO, DISARM };

/* A function. @group: if it is to be armed, and not only flipped; or of one before. */
struct function {
	const struct patchbay_record *record;
	uintptr_t entry, site;
	unsigned int owner;
	struct pb_group *group;
};

static inline void look_at(struct function *f, const struct patchbay_record *record)
{
	f->record = record;
	f->entry = pb_record_entry(record);
	f->site = pb_record_site(record);
}

/* Mostly it is that of the function before. */
static inline void find_group(struct pb_bulk_module *b, struct function *f)
{
	const uint32_t shape = pb_shape(f->record);

	if (!f->group || f->group->shape != shape)
		f->group = &pb_bulk_group(b, shape)->group;
}

/* For a change of slots: where does that of @f lead, and to which group does @f come? */
static inline __attribute__((always_inline)) void
find_slot(struct pb_bulk_module *b, enum change change, struct function *f)
{
	if (change == ARM || change == DISARM)
		return;
	/* No thread has looked at the slots of a module where nothing was ever armed. */
	f->owner = change == FIRST ?
			   PB_OWNER_NONE :
			   pb_owner(b->module, pb_record_index(b->module, f->record));
	find_group(b, f);
}

static inline int publish(const struct function *f, uint8_t *slot)
{
	return pb_bulk_slot(slot, (uintptr_t)f->group->cell,
			    f->owner != PB_OWNER_NONE);
}

/* @text: add an address to it, and there is the copy. */
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
	case UNDO:
		if (f->group->way == PB_GROUP_JOINS)
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
 * Edit functions from *@i to below @end, as far as the block is ready for them: *@i is
 * the first one that is not edited.
 */
static inline __attribute__((always_inline)) int
edit_row(struct pb_bulk_module *b, const enum change change, size_t *i, size_t end,
	 struct pb_bulk_ready *ready)
{
	const struct pb_module *module = b->module;
	const struct patchbay_record *records = module->records;
	const struct patchbay_record *record = &records[*i], *stop = &records[end];
	const uintptr_t text = ready->text, far = ready->far;
	struct function f = { .group = NULL };
	uintptr_t last = ready->last;
	int error = 0;

	for (; record < stop; record++) {
		PB_KEEP_ONE(record);
		look_at(&f, record);
		find_slot(b, change, &f);
		/*
		 * What begins within the last one is left to pb_bulk_go_on(). Functions to be
		 * armed are in the order of text (bulk_check.c).
		 */
		if (f.site > far || (change == DISARM && begin_of(&f, change) <= last))
			break;
		error = edit(module, &f, change, text);
		if (error)
			break;
		last = f.site;
	}
	ready->last = last;
	*i = (size_t)(record - records);
	return error;
}

static inline __attribute__((always_inline)) int
change_module(struct pb_bulk *bulk, struct pb_bulk_module *b,
	      const enum change change)
{
	struct pb_text_block *block = &bulk->block;
	const size_t nr = b->module->nr;
	size_t i = pb_choice_next(&b->choice, 0), first = i, end = i;
	struct pb_bulk_ready ready = { .last = 0 };
	int error, worst = 0;

	while (i < nr || ready.last) {
		if (i < nr) {
			struct function f;

			if (i >= end)
				end = pb_choice_row_end(&b->choice, i);
			if (end > nr)
				end = nr;
			error = edit_row(b, change, &i, end, &ready);
			if (error)
				return error;
			if (i == end) {
				i = pb_choice_next(&b->choice, i);
				continue;
			}
			look_at(&f, &b->module->records[i]);
			if (pb_bulk_go_on(block, &ready, begin_of(&f, change),
					  f.site + PB_BULK_SITE_SIZE))
				continue;
		}
		error = pb_bulk_write(bulk, &ready);
		if (error == PB_TEXT_CHANGED) {
			i = end = first;
			continue;
		}
		first = i;
		if (error && change != UNDO && change != DISARM)
			return error;
		else if (error)
			worst = error;
	}
	return worst;
}

/* A loop for each: which change it is, is not asked of each function. */
static int change_functions(struct pb_bulk *bulk, struct pb_bulk_module *b,
			    enum change change)
{
	switch (change) {
	case PUBLISH:
		return change_module(bulk, b, PUBLISH);
	case ARM:
		return change_module(bulk, b, ARM);
	case FIRST:
		return change_module(bulk, b, FIRST);
	case UNDO:
		return change_module(bulk, b, UNDO);
	case DISARM:
		return change_module(bulk, b, DISARM);
	}
	return 0;
}

/* On all functions; what takes back goes on after an error. */
static int change(struct pb_bulk *bulk, enum change change)
{
	int error = bulk->handle < 0 ? bulk->handle : 0;

	for (struct pb_bulk_module *b = bulk->modules; b && !error; b = b->next) {
		if (!b->nr || (change == PUBLISH && !b->slots))
			continue;
		if ((change == PUBLISH || change == ARM || change == FIRST) &&
		    b->first != (change == FIRST))
			continue;
		error = change_functions(bulk, b, change);
		if (change == UNDO || change == DISARM)
			error = 0;
	}
	return error;
}

/*
 * Not all slots lead where they were to lead: write down what they say. @seen: as of the
 * engine's.
 */
static void settle_owners(const struct pb_bulk *bulk, int seen)
{
	for (struct pb_bulk_module *b = bulk->modules; b; b = b->next) {
		struct pb_module *module = b->module;
		struct function f = { .group = NULL };

		for (size_t i = pb_choice_next(&b->choice, 0); b->slots && i < module->nr;
		     i = pb_choice_next(&b->choice, i + 1)) {
			look_at(&f, &module->records[i]);
			find_slot(b, PUBLISH, &f);
			if (seen || f.owner != PB_OWNER_NONE)
				pb_lead(module, i,
					pb_owner_found(module, i,
						       pb_shared_number(module,
									f.group->cell)));
		}
	}
}

/* Do all who leave @cell come back to it? */
static int is_kept(const struct pb_shared_cell *cell)
{
	return cell->to && !cell->scattered && cell->to->cell == cell;
}

/* Functions from @i to below @end lead to the cells of their groups. */
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
		pb_owner_set_row(b->module, i, next, pb_shared_number(b->module, g->cell));
	}
}

/* What settle_owners() does where all that was to be armed has been. */
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

static void fill_cells(struct pb_bulk *bulk)
{
	for (struct pb_bulk_module *b = bulk->modules; b; b = b->next) {
		for (struct pb_group *g = b->groups; g; g = g->next)
			if (g->nr)
				pb_fill_group(g);
	}
}

static void take_back_cells(struct pb_bulk *bulk, int seen)
{
	for (struct pb_bulk_module *b = bulk->modules; b; b = b->next) {
		for (struct pb_group *g = b->groups; g; g = g->next)
			pb_unfill_group(g, seen);
	}
}

/* Slots first, for threads that look at them once sites are armed. */
static int publish_all(struct pb_bulk *bulk)
{
	int later = 0, error;

	for (const struct pb_bulk_module *b = bulk->modules; b; b = b->next)
		later |= b->nr && !b->first;
	if (!later)
		return 0;
	error = change(bulk, PUBLISH);
	/* Cells, too, are there before anybody can find them. */
	return error ? error : pb_sync_core();
}

/* Let sites find the trampolines where none was armed so far, or that failed half way. */
static int open_all(const struct pb_bulk *bulk)
{
	int error = 0;

	for (const struct pb_bulk_module *b = bulk->modules; b && !error;
	     b = b->next)
		if (b->nr)
			error = pb_arch_open(b->module, bulk->handle);
	return error;
}

/* *@seen: have threads been able to find the cells? */
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
	settle_owners(bulk, seen);
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
}

int pb_bulk_disarm(struct pb_bulk *bulk)
{
	for (struct pb_bulk_module *b = bulk->modules; b; b = b->next)
		if (b->nr)
			empty_cells(b);
	/* What counts is the cells; see the engine's disarm(). */
	change(bulk, DISARM);
	return 0;
}
