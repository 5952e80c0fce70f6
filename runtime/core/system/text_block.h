/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A block of text with many changes. The library copies the block, changes the copy, and
 * writes it back as a whole, with the code between the changes as it was read. Only for
 * architectures with pb_arch_rewrite. The rules of pb_text_apply() for @rewrite hold
 * (text.h), but the window is longer: for a whole block, another patcher's change is lost
 * if it happens within some 20 microseconds.
 */
#ifndef PB_CORE_TEXT_BLOCK_H
#define PB_CORE_TEXT_BLOCK_H

#include <stddef.h>
#include <stdint.h>

/* Larger blocks are no faster; see text.c. */
#define PB_BLOCK_SIZE 65536

/* The smallest page size. */
#define PB_TEXT_PAGE 4096

/*
 * @from, @end: the text to write
 * @copied:     the end of the text that was copied
 * @old, @new:  the text as it was read, and as it will be written, from the beginning of
 *              the page of @from. A copy has the same offset in its page as its original
 */
struct pb_text_block {
	uintptr_t from, end, copied;
	uint8_t *old, *new;
};

/* Allocate the copies; not under the engine lock. Returns 0 or -ENOMEM. */
int pb_text_block_init(struct pb_text_block *block);
void pb_text_block_free(struct pb_text_block *block);

/* Begin an empty block at @from. */
void pb_text_block_begin(struct pb_text_block *block, uintptr_t from);

static inline uintptr_t pb_text_page(uintptr_t addr)
{
	return addr & -(uintptr_t)PB_TEXT_PAGE;
}

/* Does text up to @end fit into the block? Text that was copied always does. */
static inline int pb_text_block_fits(const struct pb_text_block *block,
				     uintptr_t end)
{
	return end <= block->copied ||
	       end <= pb_text_page(block->from) + PB_BLOCK_SIZE;
}

void pb_text_block_copy(struct pb_text_block *block, uintptr_t end);

/*
 * Extend the block to @end. The text up to @end fits, or is at most one function. Returns
 * the distance from an address in the block to its copy. (It is a number: compilers may infer
 * that a pointer plus something is not NULL.)
 */
static inline uintptr_t pb_text_block_add(struct pb_text_block *block,
					  uintptr_t end)
{
	if (end > block->copied)
		pb_text_block_copy(block, end);
	if (end > block->end)
		block->end = end;
	return (uintptr_t)block->new - pb_text_page(block->from);
}

/*
 * Write the block if the text has not changed since it was copied. Otherwise returns
 * PB_TEXT_CHANGED, and the caller starts again. May return any negative errno, because
 * seccomp filters choose their own. Under the engine lock.
 */
#define PB_TEXT_CHANGED 1
int pb_text_block_write(const struct pb_text_block *block, int handle);

#endif /* PB_CORE_TEXT_BLOCK_H */
