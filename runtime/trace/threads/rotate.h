/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A recording in many consecutive files (rotate-size=, rotate-every=). Each
 * file has all that explains it. The oldest files are removed for new ones
 * (keep=, max-size=).
 *
 * To *switch* is to make the next file, with the chunks that explain it. Each
 * thread then begins a block there at its next event. A thread that finds the
 * file full does it, from wherever the traced function was called. Other
 * threads lose nothing: a thread that has reserved a record completes it in the
 * old file.
 *
 * To *finish* a file that the process has left is to wait for all handlers that
 * were running at the switch. After that no thread writes to it, and it can be
 * unmapped. It gets its final name, PID.TIME.pbd with the time of its end, so a
 * file with such a name is complete. The listening thread does that, and
 * removes the oldest files. It also finishes files of this recording whose
 * processes have ended, and leaves all other files alone (own_file.h).
 *
 * If the thread is late, some files wait for it, and then the last one goes on
 * growing. The same happens if the thread has ended (control.h), or if no next
 * file can be made.
 */
#ifndef PB_TRACE_ROTATE_H
#define PB_TRACE_ROTATE_H

#include <stdint.h>

/* Is the file too long for @size more bytes? The caller holds the session's lock. */
int pb_rotate_is_due(uint64_t size);
/* Switch. Returns 0, or -errno and the file is still the same. */
int pb_rotate_switch(void);

#endif /* PB_TRACE_ROTATE_H */
