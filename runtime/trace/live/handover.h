/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A visitor (visit.h) may find a process that has been visited before. Then the
 * listening thread decides whether another visit fits, and begins it. If the
 * last visit is about to end, for example because its command was killed, the
 * visitor waits for that. Visitors take turns.
 */
#ifndef PB_TRACE_HANDOVER_H
#define PB_TRACE_HANDOVER_H

#include <stddef.h>

/* Returns 0, or -errno and the reason in @why. */
typedef int (*pb_begin_visit)(const char *options, char *why, size_t size);

/* The visitor's thread calls it. It calls @begin itself if no thread listens. */
int pb_handover(const char *options, char *why, size_t size, pb_begin_visit begin);

/* The listening thread calls it: if a visitor waits, @begin its visit. */
void pb_handover_look(pb_begin_visit begin);

/* Called in a forked child. These threads do not exist there. */
void pb_handover_forget(void);

#endif /* PB_TRACE_HANDOVER_H */
