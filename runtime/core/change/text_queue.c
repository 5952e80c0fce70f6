/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "change/text_queue.h"

#include "arch/arch.h"
#include "system/lock.h"
#include "system/memory.h"
#include "system/sort.h"

#include <errno.h>

/* 32 KB of patches, which change a dozen of the blocks that text.c writes. */
#define ROOM 1024

_Static_assert(PB_PUBLISH_MAX <= ROOM, "no room");

int pb_text_queue_init(struct pb_text_queue *queue, size_t nr, int whole)
{
	pb_may_allocate();
	queue->room = nr > ROOM && !whole ? ROOM : nr;
	queue->patches = pb_malloc(queue->room * sizeof(*queue->patches));
	return queue->patches ? 0 : -ENOMEM;
}

void pb_text_queue_free(struct pb_text_queue *queue)
{
	pb_may_allocate();
	if (queue->handle >= 0)
		pb_text_close(queue->handle);
	queue->handle = -EBADF;
	pb_free(queue->patches);
	queue->patches = NULL;
}

int pb_text_queue_room(struct pb_text_queue *queue, size_t nr)
{
	return queue->room - queue->nr < nr ? pb_text_flush(queue) : 0;
}

static int by_address(const void *a, const void *b)
{
	const struct pb_patch *left = a, *right = b;

	return (left->addr > right->addr) - (left->addr < right->addr);
}

static int is_sorted(const struct pb_patch *patches, size_t nr)
{
	for (size_t i = 1; i < nr; i++)
		if (patches[i - 1].addr > patches[i].addr)
			return 0;
	return 1;
}

int pb_text_flush(struct pb_text_queue *queue)
{
	size_t nr = queue->nr;

	queue->nr = 0;
	/* A batch that writes nothing needs no /proc. */
	if (!nr)
		return 0;
	if (queue->handle < 0)
		return queue->handle;
	/* Patches are usually sorted by address, as records are. */
	if (!is_sorted(queue->patches, nr))
		pb_sort(queue->patches, nr, sizeof(*queue->patches), by_address);
	return pb_text_apply(queue->handle, queue->patches, nr,
			     pb_arch_rewrite);
}
