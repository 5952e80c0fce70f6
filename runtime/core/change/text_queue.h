/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A queue of patches of text. System calls are expensive, so the queue writes many patches
 * together: as many as fit into the cache with the text to change.
 */
#pragma once

#include "system/text.h"

/*
 * @patches: the queued patches: @nr of at most @room
 * @handle:  the result of pb_text_open(). If that failed, writing a patch returns the error
 */
struct pb_text_queue {
	struct pb_patch *patches;
	size_t nr, room;
	int handle;
};

/*
 * Initialize an empty queue for up to @nr patches. Does not open the text. @whole: write
 * nothing before pb_text_flush(). Returns 0 or -ENOMEM.
 */
int pb_text_queue_init(struct pb_text_queue *queue, size_t nr, int whole);

/* Free the queue, and close the text. */
void pb_text_queue_free(struct pb_text_queue *queue);

/*
 * Reserve space for @nr more patches, at most PB_PUBLISH_MAX, at @queue->patches[@queue->nr].
 * Returns 0 or the error of writing the queued patches. The queue is empty after an error.
 */
int pb_text_queue_room(struct pb_text_queue *queue, size_t nr);

/*
 * Write the queued patches, and empty the queue. Returns 0 or an error of pb_text_open() or
 * pb_text_apply().
 */
int pb_text_flush(struct pb_text_queue *queue);
