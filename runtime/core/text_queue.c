/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "text_queue.h"

#include "arch.h"
#include "os/linux.h"

#include <errno.h>
#include <stdlib.h>

/* 32 KB of patches, for a dozen of the blocks that text.c writes. */
#define ROOM 1024

_Static_assert(PB_PUBLISH_MAX <= ROOM, "no room");

int pb_text_queue_init(struct pb_text_queue *queue, size_t nr, int whole)
{
	queue->room = nr > ROOM && !whole ? ROOM : nr;
	queue->patches = malloc(queue->room * sizeof(*queue->patches));
	return queue->patches ? 0 : -ENOMEM;
}

static void close_text(struct pb_text_queue *queue)
{
	if (queue->handle >= 0)
		pb_os_text_close(queue->handle);
	queue->handle = -1;
}

void pb_text_queue_free(struct pb_text_queue *queue)
{
	close_text(queue);
	free(queue->patches);
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

void pb_text_sort(struct pb_patch *patches, size_t nr)
{
	for (size_t i = 1; i < nr; i++) {
		if (patches[i - 1].addr <= patches[i].addr)
			continue;
		qsort(patches, nr, sizeof(*patches), by_address);
		break;
	}
}

int pb_text_flush(struct pb_text_queue *queue)
{
	size_t nr = queue->nr;

	queue->nr = 0;
	if (!nr)
		return 0;
	/* Late: a batch that writes nothing needs no /proc. */
	if (queue->handle < 0)
		queue->handle = pb_os_text_open();
	if (queue->handle < 0)
		return queue->handle;
	pb_text_sort(queue->patches, nr);
	return pb_text_apply(queue->handle, queue->patches, nr,
			     pb_arch_rewrite);
}

int pb_text_finish(struct pb_text_queue *queue)
{
	int error = pb_text_flush(queue);

	close_text(queue);
	return error;
}
