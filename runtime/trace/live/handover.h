/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A *visitor* is the thread that calls patchbay_trace_visit() (visit.h). If an earlier
 * visit exists, the listening thread decides whether another visit is possible, and begins
 * that visit. If the earlier visit is about to end, for example because its command was
 * killed, the visitor waits. Visitors are serialized.
 */
#ifndef PB_TRACE_HANDOVER_H
#define PB_TRACE_HANDOVER_H

#include <stddef.h>

/* Returns 0, or -errno and the reason in @why. */
typedef int (*pb_begin_visit)(const char *options, char *why, size_t size);

/* Called by the visitor. Calls @begin in this thread if no thread listens. */
int pb_handover(const char *options, char *why, size_t size, pb_begin_visit begin);

/* Called by the listening thread. Calls @begin if a visitor waits. */
void pb_handover_look(pb_begin_visit begin);

/* Called in a forked child, which has neither visitor nor listening thread. */
void pb_handover_forget(void);

#endif /* PB_TRACE_HANDOVER_H */
