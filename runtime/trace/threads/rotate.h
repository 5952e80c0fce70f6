/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A recording in many consecutive files (rotate-size=, rotate-every=). Each file
 * can be read without the others. The command names complete files, and removes
 * the oldest ones for new ones (keep=, max-size=; tool/recording/Rotation.h).
 *
 * To *switch* is to create the next file, with the chunks that explain it. Each thread then
 * begins a block there at its next event. The thread that finds the file full makes the
 * switch, wherever it has called the traced function. Other threads lose nothing: a thread
 * that has reserved a record completes it in the old file.
 *
 * To *finish* a file that the process has left is to wait for all handlers that were running
 * at the switch. After that no thread writes to the file, and the listening thread unmaps it.
 * That releases the file's lock, which tells the command that the file is complete.
 *
 * If the listening thread is late, up to PB_ROTATE_LEFT files wait for it; after that the
 * last file continues to grow. The last file also continues to grow if the listening thread
 * has ended (control.h), or if the next file cannot be made.
 */
#ifndef PB_TRACE_ROTATE_H
#define PB_TRACE_ROTATE_H

#include <stdint.h>

/*
 * Would the file exceed rotate-size= with @size more bytes? The caller holds the session's
 * lock.
 */
int pb_rotate_is_due(uint64_t size);
/* Switch to the next file. Returns 0; or -errno, and the file is still the same. */
int pb_rotate_switch(void);

/* The listening thread's part (live/rotate_files.c). Returns the ms until the next call, or -1. */
int pb_rotate_look(void);
/* The recording is over, and no handler is running. */
void pb_rotate_end(void);

#endif /* PB_TRACE_ROTATE_H */
