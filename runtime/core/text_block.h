/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A block of text with many places that are to be changed: it is copied, changed in
 * the copy, and written back as one, with the code between those places as it was
 * read. For architectures with pb_arch_rewrite; what pb_text_apply() says of such
 * writes goes for these (text.h), but that whoever else changes that code loses the
 * change if it comes within some 20 microseconds, not one, for a whole block.
 */
#ifndef PB_CORE_TEXT_BLOCK_H
#define PB_CORE_TEXT_BLOCK_H

#include <stddef.h>
#include <stdint.h>

/* Longer ones are no quicker; see text.c. */
#define PB_BLOCK_SIZE 65536

/* The smallest that there are. */
#define PB_TEXT_PAGE 4096

/*
 * @from, @end: what is to be written
 * @copied:     where the copies end
 * @old, @new:  as it was read, and as it shall be, from the page on that @from is in:
 *              copies are as far behind the beginnings of pages as what they are of
 */
struct pb_text_block {
	uintptr_t from, end, copied;
	uint8_t *old, *new;
};

/* Memory for the copies; not under the engine lock. Returns 0 or -ENOMEM. */
int pb_text_block_init(struct pb_text_block *block);
void pb_text_block_free(struct pb_text_block *block);

/* An empty block that begins at @from. */
void pb_text_block_begin(struct pb_text_block *block, uintptr_t from);

static inline uintptr_t pb_text_page(uintptr_t addr)
{
	return addr & -(uintptr_t)PB_TEXT_PAGE;
}

/* Can text up to @end be in the block? What has been copied can. */
static inline int pb_text_block_fits(const struct pb_text_block *block,
				     uintptr_t end)
{
	return end <= block->copied ||
	       end <= pb_text_page(block->from) + PB_BLOCK_SIZE;
}

void pb_text_block_copy(struct pb_text_block *block, uintptr_t end);

/*
 * The block is to have text up to @end, which fits, or is no longer than one
 * function. Add an address to what this returns: there is the copy of it. (It is a
 * number: with a pointer compilers may take for granted that no sum begins at NULL.)
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
 * Write the block, if text is still what was copied; else PB_TEXT_CHANGED, and it is to
 * be done again. Or a negative errno of writing text, which may be any: filters of
 * system calls choose theirs. Under the engine lock.
 */
#define PB_TEXT_CHANGED 1
int pb_text_block_write(const struct pb_text_block *block, int handle);

#endif /* PB_CORE_TEXT_BLOCK_H */
