/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "change/bulk.h"

#include "cells/cell.h"
#include "system/linux.h"
#include "system/text.h"

#include <string.h>

/*
 * The changes of text:
 *
 * PUBLISH  fill the slots of functions to arm
 * ARM      arm the sites of these functions
 * FIRST    fill slots and arm sites, in a module where no site was ever armed
 * DISARM   disarm the sites of functions whose cell is empty
 */
enum change { PUBLISH, ARM, FIRST, DISARM };

/* Change the copy of function @i. @text: the offset from an address to its copy. */
static inline __attribute__((always_inline)) int
edit_function(struct pb_bulk_module *b, const enum change change, uintptr_t text, size_t i,
	      uintptr_t entry, uintptr_t site)
{
	const struct patchbay_record *record = &b->module->records[i];
	uint8_t *copy = (uint8_t *)(text + site);
	int error = 0;

	/* FIRST: no thread has read the slot, so all of its bytes may change. */
	if (change == PUBLISH || change == FIRST)
		error = pb_bulk_slot((uint8_t *)(text + entry - PB_BULK_BEFORE),
				     (uintptr_t)pb_bulk_group(b, pb_shape(record))->group.cell,
				     change == PUBLISH &&
					     pb_owner(b->module, i) != PB_OWNER_NONE);
	if (change == ARM || (change == FIRST && !error))
		error = pb_bulk_flip(copy, 1);
	/* Ignore errors: a site that stays armed calls the trampoline, without effect. */
	if (change == DISARM)
		pb_bulk_flip(copy, 0);
	return error;
}

/* Functions that are farther apart than this are written separately. */
#define GAP 4096

/* Larger blocks are no faster; see text.c. */
#define BLOCK_SIZE 65536

/* The unit of copying: the smallest page size. The rest of a mapped page is mapped, too. */
#define PAGE 4096

_Static_assert(PB_BULK_COPY_SIZE == BLOCK_SIZE + PAGE, "a function may begin at its end");

/* The text has changed since the block was copied: copy the block again. */
#define TEXT_CHANGED 1

/*
 * A block of text with many changes. The library copies the block, changes the copy, and
 * writes the whole copy, including the code between the changes. The rules of pb_text_apply()
 * for @rewrite hold (text.h), but the window is longer: a change that another patcher makes to
 * the block within some 20 microseconds is lost.
 *
 * A loop changes functions up to the end of the copied text, so most functions need one
 * comparison. Then the block is extended or written.
 * @from, @copied: the beginning of the text to write, and the end of the copied text
 * @last:  the site of the block's last function; 0: the block is empty
 * @far:   sites up to this address are in the copied text, and less than GAP apart
 * @old, @new: the text as it was read, and as it will be written, from the beginning of the
 *         page of @from. A copy has the same offset in its page as its original
 */
struct block {
	uintptr_t from, copied, last, far;
	uint8_t *old, *new;
};

static inline uintptr_t page_of(uintptr_t addr)
{
	return addr & -(uintptr_t)PAGE;
}

static void copy_text(struct block *block, uintptr_t end)
{
	const uintptr_t at = block->copied - page_of(block->from);
	const uintptr_t to = page_of(end + PAGE - 1);

	memcpy(block->old + at, (const void *)block->copied, to - block->copied);
	memcpy(block->new + at, block->old + at, to - block->copied);
	block->copied = to;
}

/*
 * Extend the block by the text from @from to @end. Returns 0 if that text does not fit, or
 * is too far away.
 */
static int extend_block(struct block *block, uintptr_t from, uintptr_t end)
{
	if (!block->last)
		block->from = block->copied = from;
	else if (from - block->last > GAP ||
		 (end > block->copied && end > page_of(block->from) + BLOCK_SIZE))
		return 0;
	if (end > block->copied)
		copy_text(block, end);
	block->far = block->copied - PB_BULK_SITE_SIZE;
	block->last = from - 1;
	return 1;
}

/*
 * Write the block, up to its last function. Returns 0, TEXT_CHANGED or a negative errno, which
 * may have any value: seccomp filters choose the errno.
 */
static int write_block(const struct pb_bulk *bulk, struct block *block)
{
	const uintptr_t at = block->from - page_of(block->from);
	const size_t size = block->last + PB_BULK_SITE - block->from;

	block->last = block->far = 0;
	/* Compare as late as possible, to make the window of text.h's @rewrite short. */
	if (memcmp((const void *)block->from, block->old + at, size))
		return TEXT_CHANGED;
	return pb_os_text_write(bulk->handle, block->from, block->new + at, size);
}

/*
 * Edit functions *@i to @end - 1 as far as they are in the block. Sets *@i to the first
 * function that was not edited.
 */
static inline __attribute__((always_inline)) int
edit_row(struct pb_bulk_module *b, const enum change change, size_t *i, size_t end,
	 struct block *block)
{
	/* A local copy: to the compiler, each store to text might change the original. */
	const struct patchbay_record *records = b->module->records;
	const struct patchbay_record *record = &records[*i], *stop = &records[end];
	/* Use an integer: compilers may assume that a pointer plus an offset is not NULL. */
	const uintptr_t text = (uintptr_t)block->new - page_of(block->from);
	const uintptr_t far = block->far;
	uintptr_t last = block->last;
	int error = 0;

	for (; record < stop; record++) {
		const uintptr_t entry = pb_record_entry(record), site = pb_record_site(record);

		PB_KEEP_ONE(record);
		/*
		 * Stop at a function that overlaps the previous one: extend_block() handles it.
		 * For arming, bulk_check.c has checked the order.
		 */
		if (site > far || (change == DISARM && site <= last))
			break;
		error = edit_function(b, change, text, (size_t)(record - records), entry, site);
		if (error)
			break;
		last = site;
	}
	block->last = last;
	*i = (size_t)(record - records);
	return error;
}

static inline __attribute__((always_inline)) int
change_module(struct pb_bulk *bulk, struct pb_bulk_module *b,
	      const enum change change)
{
	const size_t nr = b->module->nr;
	size_t i = pb_choice_next(&b->choice, 0), first = i, end = i;
	struct block block = { .old = bulk->copies, .new = bulk->copies + PB_BULK_COPY_SIZE };
	int error;

	while (i < nr || block.last) {
		if (i < nr) {
			const struct patchbay_record *record;
			uintptr_t site, from;

			if (i >= end)
				end = pb_choice_row_end(&b->choice, i);
			if (end > nr)
				end = nr;
			error = edit_row(b, change, &i, end, &block);
			if (error)
				return error;
			if (i == end) {
				i = pb_choice_next(&b->choice, i);
				continue;
			}
			record = &b->module->records[i];
			site = pb_record_site(record);
			from = change == ARM || change == DISARM ?
				       site : pb_record_entry(record) - PB_BULK_BEFORE;
			if (extend_block(&block, from, site + PB_BULK_SITE_SIZE))
				continue;
		}
		error = write_block(bulk, &block);
		if (error == TEXT_CHANGED) {
			i = end = first;
			continue;
		}
		first = i;
		if (error && change != DISARM)
			return error;
	}
	return 0;
}

/* Make one kind of change in all modules. Disarming continues after an error. */
static int change_all(struct pb_bulk *bulk, enum change change)
{
	int error = bulk->handle < 0 ? bulk->handle : 0;

	for (struct pb_bulk_module *b = bulk->modules; b && !error; b = b->next) {
		if (!b->nr || (change == PUBLISH && !b->slots))
			continue;
		if (change != DISARM && b->first != (change == FIRST))
			continue;
		/* Inline change_module() for each kind, so that its loop does not test the kind. */
		error = change == PUBLISH ? change_module(bulk, b, PUBLISH) :
			change == ARM	  ? change_module(bulk, b, ARM) :
			change == FIRST	  ? change_module(bulk, b, FIRST) :
					    change_module(bulk, b, DISARM);
	}
	return error;
}

/*
 * Record the owner of each function: the cell that its slot points to. If arming failed (not
 * @done), read the slots. If no thread can have found the cells (not @seen), functions without
 * an owner keep PB_OWNER_NONE.
 */
static void record_owners(struct pb_bulk_module *b, int done, int seen)
{
	struct pb_module *module = b->module;

	for (size_t i = pb_choice_next(&b->choice, 0); b->slots && i < module->nr;
	     i = pb_choice_next(&b->choice, i + 1)) {
		const uint32_t shape = pb_shape(&module->records[i]);
		const struct pb_group *g = &pb_bulk_group(b, shape)->group;
		const unsigned int owner = pb_shared_number(module, g->cell);

		if (seen || pb_owner(module, i) != PB_OWNER_NONE)
			pb_change_owner(module, i,
					done ? owner : pb_owner_found(module, i, owner));
	}
}

/* Write the slots before the sites: threads read a slot as soon as its site is armed. */
static int publish_all(struct pb_bulk *bulk)
{
	int later = 0, error;

	for (const struct pb_bulk_module *b = bulk->modules; b; b = b->next)
		later |= b->nr && !b->first;
	if (!later)
		return 0;
	error = change_all(bulk, PUBLISH);
	/* The sync also makes the cells visible before a thread can enter them. */
	return error ? error : pb_sync_core();
}

/* Sets *@seen if threads may have entered the cells. */
static int arm_all(struct pb_bulk *bulk, int *seen)
{
	int error = publish_all(bulk);

	*seen = !error;
	if (!error)
		error = change_all(bulk, FIRST);
	/* Connect the sites of modules that are armed for the first time to the trampolines. */
	for (const struct pb_bulk_module *b = bulk->modules; b && !error; b = b->next)
		if (b->nr)
			error = pb_arch_open(b->module, bulk->handle);
	return error ? error : change_all(bulk, ARM);
}

int pb_bulk_arm(struct pb_bulk *bulk)
{
	int seen, error;

	for (struct pb_bulk_module *b = bulk->modules; b; b = b->next)
		for (struct pb_group *g = b->groups; g; g = g->next)
			if (g->nr)
				pb_fill_group(g);
	error = arm_all(bulk, &seen);
	if (error)
		change_all(bulk, DISARM);
	for (struct pb_bulk_module *b = bulk->modules; b; b = b->next) {
		record_owners(b, !error, seen);
		for (struct pb_group *g = b->groups; g && error; g = g->next)
			pb_unfill_group(g, seen);
	}
	return error;
}

void pb_bulk_disarm(struct pb_bulk *bulk)
{
	for (struct pb_bulk_module *b = bulk->modules; b; b = b->next) {
		struct pb_shared *shared = b->module->shared;

		for (unsigned int i = PB_OWNER_FIRST; b->nr && i < shared->end; i++)
			if (shared->cells[i].leaving)
				pb_empty_cell(&shared->cells[i].cell);
		if (b->nr)
			pb_mark_unsettled(b->module, 1);
	}
	/* Errors do not matter: the cells are empty. See queue_disarm() in engine.c. */
	change_all(bulk, DISARM);
}
