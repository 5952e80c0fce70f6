/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counts the disk space that all processes of a recording use (max-size=), in the arena's
 * head. A process without an arena counts its own file and the files of its forked
 * children. Callers hold a lock and may make system calls.
 */
#ifndef PB_TRACE_QUOTA_H
#define PB_TRACE_QUOTA_H

#include <stdint.h>

/*
 * Call these two around each change of files and of their counted size, so that the
 * recorder, which adds up all files, sees both changes or none.
 */
void pb_quota_begin(void);
void pb_quota_end(void);

/*
 * Take @bytes before allocating disk space. Returns 0 or -PB_OVER_SIZE. Give @bytes back if
 * the allocation has failed.
 */
int pb_quota_take(uint64_t bytes);
void pb_quota_give(uint64_t bytes);

/*
 * Without an arena: count bytes that are already on disk or, if @bytes is negative, stop
 * counting them.
 */
void pb_quota_count(int64_t bytes);

/* Was any request refused since the last call? */
int pb_quota_was_refused(void);

#endif /* PB_TRACE_QUOTA_H */
