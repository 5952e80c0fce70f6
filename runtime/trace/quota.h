/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How much of the disk a recording takes, all its processes together (max-size=): they
 * count in a file of the directory, PBD_SIZE_FILE, that each has mapped. A forked child
 * has its parent's mapping. Where system calls may be made, and with a lock held.
 */
#ifndef PB_TRACE_QUOTA_H
#define PB_TRACE_QUOTA_H

#include <stdint.h>

/*
 * Begin to count, if that is asked for and unless it is done. Without it nothing may be
 * recorded. Returns 0 or -errno.
 */
int pb_quota_open(const char *output);

/*
 * Around each change of files and of what is counted of them: who counts all files would
 * find one of the two changed. The first returns what the second takes.
 */
int pb_quota_begin(void);
void pb_quota_end(int place);

/* So many bytes more are to be allocated, or were. Returns 0 or -PB_OVER_SIZE. */
int pb_quota_take(uint64_t bytes);
void pb_quota_give(uint64_t bytes);

/* Was there no room for something since this was asked last? */
int pb_quota_was_refused(void);

uint64_t pb_quota_used(void);
/*
 * A time to count: what is to be given to the second function, with what was found. That
 * has no effect if something was changed meanwhile.
 */
uint64_t pb_quota_count(void);
void pb_quota_correct(uint64_t count, uint64_t found);
/* So many files made room for others; less than 0: no, they did not. */
void pb_quota_removed(int files);

/* The recording is over. */
void pb_quota_forget(void);

#endif /* PB_TRACE_QUOTA_H */
