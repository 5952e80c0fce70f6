/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counts the disk space of all processes of a recording together (max-size=),
 * in a file of the directory, PBD_SIZE_FILE. Each process maps it. A forked
 * child has its parent's mapping. The code may make system calls, and callers
 * hold a lock.
 */
#ifndef PB_TRACE_QUOTA_H
#define PB_TRACE_QUOTA_H

#include <stdint.h>

/*
 * Begin to count, if the options ask for it. If it fails, nothing may be
 * recorded. Does nothing on a second call. Returns 0 or -errno.
 */
int pb_quota_open(const char *output);

/*
 * Call around each change of files and of their counted size, so that a process that
 * counts all files sees both changes or none. Pass the result of pb_quota_begin() to
 * pb_quota_end().
 */
int pb_quota_begin(void);
void pb_quota_end(int place);

/* Before allocating, and after freeing, this many bytes. Returns 0 or -PB_OVER_SIZE. */
int pb_quota_take(uint64_t bytes);
void pb_quota_give(uint64_t bytes);

/* Was any request refused since the last call? */
int pb_quota_was_refused(void);

uint64_t pb_quota_used(void);
/*
 * Correct the counter after looking at all files. pb_quota_correct() takes the
 * result of pb_quota_count() and the size found. It has no effect if a process
 * changed something meanwhile.
 */
uint64_t pb_quota_count(void);
void pb_quota_correct(uint64_t count, uint64_t found);
/* Count files that were removed to make room. Negative: take back a count. */
void pb_quota_removed(int files);

/* The recording is over. */
void pb_quota_forget(void);

#endif /* PB_TRACE_QUOTA_H */
