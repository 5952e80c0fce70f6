/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Who visits a process (visit.h) may find that somebody has done so before: then it is the
 * thread that listens which knows whether there is room for one more, and which begins
 * it. And if the last visit is about to end, as that of a command that was killed just
 * now, it is waited for. One visitor comes behind the other.
 */
#ifndef PB_TRACE_HANDOVER_H
#define PB_TRACE_HANDOVER_H

#include <stddef.h>

/* Returns 0, or -errno, and @why has words. */
typedef int (*pb_begin_visit)(const char *options, char *why, size_t size);

/* Called by the visitor's thread, which calls @begin if nobody is there. */
int pb_handover(const char *options, char *why, size_t size, pb_begin_visit begin);

/* Called by the listening thread: if one waits, @begin it. */
void pb_handover_look(pb_begin_visit begin);

/* In a forked child, which has none of these threads. */
void pb_handover_forget(void);

#endif /* PB_TRACE_HANDOVER_H */
