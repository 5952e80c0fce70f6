/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A recording in many consecutive files (rotate-size=, rotate-every=). Each file can be
 * read without the others. The command names complete files, and removes the oldest files
 * to make space (keep=, max-size=; tool/recording/Rotation.h).
 *
 * A *switch* creates the next file, with the chunks that readers need for its events. Each
 * thread begins a block in the new file at its next event. The thread that finds the file
 * full makes the switch in its handler. No events are lost: a thread that has reserved a
 * record completes the record in the old file.
 *
 * To *finish* the old file, the listening thread waits for all handlers that were running
 * at the switch, and then unmaps the file. Unmapping releases the file's lock, which tells
 * the command that the file is complete.
 *
 * If the listening thread is late, up to PB_ROTATE_LEFT files wait to be finished. After
 * that the last file continues to grow. The last file also continues to grow if the
 * listening thread has ended (control.h), or if the next file cannot be made.
 */
#ifndef PB_TRACE_ROTATE_H
#define PB_TRACE_ROTATE_H

#include <stdint.h>

/*
 * Would the file exceed rotate-size= with @size more bytes? The caller holds the session's
 * lock.
 */
int pb_rotate_is_due(uint64_t size);
/*
 * Switch to the next file. On error returns -errno, and the process keeps the present file.
 */
int pb_rotate_switch(void);

/*
 * The listening thread calls this (live/rotate_files.c). Returns the ms until the next
 * call, or -1.
 */
int pb_rotate_look(void);
/* The recording is over, and no handler is running. */
void pb_rotate_end(void);

#endif /* PB_TRACE_ROTATE_H */
