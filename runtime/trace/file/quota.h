/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counts the disk space of all processes of a recording together (max-size=), in the head
 * of the arena. A process without an arena counts its own file and those of its forked
 * children. The code may make system calls, and callers hold a lock.
 */
#ifndef PB_TRACE_QUOTA_H
#define PB_TRACE_QUOTA_H

#include <stdint.h>

/*
 * Call around each change of files and of their counted size, so that the recorder, which
 * looks at all files, sees both changes or none.
 */
void pb_quota_begin(void);
void pb_quota_end(void);

/*
 * Take @bytes before allocating them; give them back if that failed. pb_quota_take()
 * returns 0 or -PB_OVER_SIZE.
 */
int pb_quota_take(uint64_t bytes);
void pb_quota_give(uint64_t bytes);

/*
 * Without an arena: count bytes that are already on disk, or, if negative, stop counting
 * them.
 */
void pb_quota_count(int64_t bytes);

/* Was any request refused since the last call? */
int pb_quota_was_refused(void);

#endif /* PB_TRACE_QUOTA_H */
