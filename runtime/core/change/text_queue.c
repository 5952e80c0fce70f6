/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "change/text_queue.h"

#include "arch/arch.h"
#include "system/lock.h"
#include "system/memory.h"

#include <errno.h>
#include <stdlib.h>

/* 32 KB of patches, for a dozen of the blocks that text.c writes. */
#define ROOM 1024

_Static_assert(PB_PUBLISH_MAX <= ROOM, "no room");

int pb_text_queue_init(struct pb_text_queue *queue, size_t nr, int whole)
{
	pb_may_allocate();
	queue->room = nr > ROOM && !whole ? ROOM : nr;
	queue->patches = pb_malloc(queue->room * sizeof(*queue->patches));
	return queue->patches ? 0 : -ENOMEM;
}

void pb_text_queue_open(struct pb_text_queue *queue)
{
	queue->handle = pb_text_open();
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

/* Heapsort: let what is at @at sink to where nothing below it is greater. */
static void sink(struct pb_patch *patches, size_t at, size_t nr)
{
	const struct pb_patch sinking = patches[at];
	size_t child;

	for (; (child = 2 * at + 1) < nr; at = child) {
		if (child + 1 < nr &&
		    patches[child].addr < patches[child + 1].addr)
			child++;
		if (patches[child].addr <= sinking.addr)
			break;
		patches[at] = patches[child];
	}
	patches[at] = sinking;
}

static int is_sorted(const struct pb_patch *patches, size_t nr)
{
	for (size_t i = 1; i < nr; i++)
		if (patches[i - 1].addr > patches[i].addr)
			return 0;
	return 1;
}

/*
 * By address, as pb_text_apply() wants them. Most of the time they are in order,
 * because records are. Allocates nothing, unlike qsort(3).
 */
static void sort_patches(struct pb_patch *patches, size_t nr)
{
	if (is_sorted(patches, nr))
		return;
	for (size_t i = nr / 2; i-- > 0;)
		sink(patches, i, nr);
	for (size_t last = nr; last-- > 1;) {
		const struct pb_patch greatest = patches[0];

		patches[0] = patches[last];
		patches[last] = greatest;
		sink(patches, 0, last);
	}
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
	sort_patches(queue->patches, nr);
	return pb_text_apply(queue->handle, queue->patches, nr,
			     pb_arch_rewrite);
}
