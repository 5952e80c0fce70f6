/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How loops over functions change text: each goes as far as the block (text_block.h) is
 * ready for, so that most functions take one comparison; then the block is asked to go
 * on, or written.
 */
#ifndef PB_CORE_BULK_BLOCK_H
#define PB_CORE_BULK_BLOCK_H

#include "change/bulk_text.h"

/* Of few functions far from each other each is written on its own. */
#define PB_BULK_GAP 4096

/*
 * What the loops know of the block.
 * @text: add an address to it, and there is the copy
 * @last: the site of the block's last function; 0: it has none yet
 * @far:  so far sites may be without asking whether the block can go on: that is less
 *        than PB_BULK_GAP
 */
struct pb_bulk_ready {
	uintptr_t text;
	uintptr_t last, far;
};

/*
 * Can the block go on from @from to @end? Then it does, and @ready says so, whatever was
 * the last one.
 */
static inline int pb_bulk_go_on(struct pb_text_block *block, struct pb_bulk_ready *ready,
				uintptr_t from, uintptr_t end)
{
	if (!ready->last)
		pb_text_block_begin(block, from);
	else if (!pb_text_block_fits(block, end) || from - ready->last > PB_BULK_GAP)
		return 0;
	ready->text = pb_text_block_add(block, end);
	ready->far = block->copied - PB_BULK_SITE_SIZE;
	ready->last = from - 1;
	return 1;
}

/* The block ends with its last function, and is written; PB_TEXT_CHANGED, or an error. */
static inline int pb_bulk_write(struct pb_bulk *bulk, struct pb_bulk_ready *ready)
{
	bulk->block.end = ready->last + PB_BULK_SITE;
	*ready = (struct pb_bulk_ready){ .last = 0 };
	return pb_text_block_write(&bulk->block, bulk->handle);
}

#endif /* PB_CORE_BULK_BLOCK_H */
