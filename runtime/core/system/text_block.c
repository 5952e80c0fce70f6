/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "system/text_block.h"

#include "system/linux.h"
#include "system/lock.h"
#include "system/memory.h"

#include <errno.h>
#include <string.h>

/* The unit of copying. If the first byte of a page is mapped, all of it is. */
#define PAGE PB_TEXT_PAGE

int pb_text_block_init(struct pb_text_block *block)
{
	/* A function may be longer than the block that it begins. */
	const size_t size = PB_BLOCK_SIZE + PAGE;

	pb_may_allocate();
	*block = (struct pb_text_block){ .old = pb_malloc(size),
					 .new = pb_malloc(size) };
	if (block->old && block->new)
		return 0;
	pb_text_block_free(block);
	return -ENOMEM;
}

void pb_text_block_free(struct pb_text_block *block)
{
	pb_may_allocate();
	pb_free(block->old);
	pb_free(block->new);
	block->old = block->new = NULL;
}

void pb_text_block_begin(struct pb_text_block *block, uintptr_t from)
{
	block->from = block->end = block->copied = from;
}

void pb_text_block_copy(struct pb_text_block *block, uintptr_t end)
{
	const uintptr_t at = block->copied - pb_text_page(block->from);
	const uintptr_t to = pb_text_page(end + PAGE - 1);

	memcpy(block->old + at, (const void *)block->copied, to - block->copied);
	memcpy(block->new + at, block->old + at, to - block->copied);
	block->copied = to;
}

int pb_text_block_write(const struct pb_text_block *block, int handle)
{
	const uintptr_t at = block->from - pb_text_page(block->from);
	const size_t size = block->end - block->from;

	/* Compare as late as possible, to make the window of text.h's @rewrite short. */
	if (memcmp((const void *)block->from, block->old + at, size))
		return PB_TEXT_CHANGED;
	return pb_os_text_write(handle, block->from, block->new + at, size);
}
