/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Patches on their way into text. A batch queues them one after the other; so
 * many are written at once that it is worth it, and so few that they are still
 * in the cache, with the text that they were made from.
 */
#ifndef PB_CORE_TEXT_QUEUE_H
#define PB_CORE_TEXT_QUEUE_H

#include "system/text.h"

/*
 * @patches: those that wait: @nr, of at most @room
 * @handle:  of pb_text_open(), or its error
 */
struct pb_text_queue {
	struct pb_patch *patches;
	size_t nr, room;
	int handle;
};

/*
 * Memory for a queue of up to @nr patches, which is empty, and not open. @whole:
 * none shall be written before pb_text_flush(). Returns 0 or -ENOMEM.
 */
int pb_text_queue_init(struct pb_text_queue *queue, size_t nr, int whole);

/* Open the text. Should that fail, it is an error to write anything. */
void pb_text_queue_open(struct pb_text_queue *queue);

/* Free the queue, and close the text. */
void pb_text_queue_free(struct pb_text_queue *queue);

/*
 * Make room for @nr more at @queue->patches[@queue->nr], at most PB_PUBLISH_MAX.
 * Returns 0 or the error of writing those that waited, which wait no more.
 */
int pb_text_queue_room(struct pb_text_queue *queue, size_t nr);

/*
 * Write what waits; the errors of pb_text_open() and pb_text_apply(). Nothing waits
 * afterwards.
 */
int pb_text_flush(struct pb_text_queue *queue);

#endif /* PB_CORE_TEXT_QUEUE_H */
