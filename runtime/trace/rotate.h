/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A recording in many files, one after the other (rotate-size=, rotate-every=): each has
 * all that explains it, and the oldest make room for new ones (keep=, max-size=).
 *
 * To *switch* is to make the next file, with what explains it, and to have each thread
 * begin a block there when it records for the next time. Whoever finds that the file is
 * full does it, from wherever the traced function was called. It takes nothing away from
 * others: who is about to write a record finishes it where it has its place.
 *
 * To *finish* a file that was left is to wait until no handler is running that was
 * running at the switch: then nobody writes to it any more, and nothing of it need be
 * mapped. It is given its final name, PID.TIME.pbd with the time of the end, so a file of
 * such a name is whole. The thread that listens does that, and removes the oldest files.
 * It does the same with files of this recording whose processes have ended, and leaves
 * all other files alone (own_file.h).
 * If it is late there are some files that wait for it; then the last one grows on. It is
 * the same where that thread has ended (control.h), or no next file can be made.
 */
#ifndef PB_TRACE_ROTATE_H
#define PB_TRACE_ROTATE_H

#include "format.h"

#include <limits.h>

/* So many files may wait to be finished. */
#define PB_ROTATE_LEFT 8

/* In struct pb_session. */
struct pb_rotation {
	uint64_t generation; /* how often it was switched */
	uint64_t since_ns;   /* when the file began, by CLOCK_MONOTONIC; 0: not known */
	uint32_t has_events; /* there is something in it */
	uint32_t has_maps;   /* nothing of another file is looked at any more */
	uint32_t failed;     /* try again later */
	uint32_t nr_left;
	struct pb_left_file {
		struct pbd_header *header;
		uint64_t start_ns; /* in the header */
		char path[PATH_MAX];
	} left[PB_ROTATE_LEFT];
};

/* With the session's lock held. Is the file too long for @size bytes more? */
int pb_rotate_is_due(uint64_t size);
/* Returns 0 or -errno: there is the same file as before. */
int pb_rotate_switch(void);
/* All that explains numbers of functions is in the file now. Returns 0 or -errno. */
int pb_rotate_copy_maps(void);

/* Called by the thread that listens. Returns the ms until the next time, or -1. */
int pb_rotate_look(void);
/* The recording is over, and no handler is running: the last file is whole, too. */
void pb_rotate_end(void);
/*
 * The process ends. Nobody may be there who finishes its files later; what destructors of
 * other libraries still record is in the last one, too.
 */
void pb_rotate_exit(void);

#endif /* PB_TRACE_ROTATE_H */
