/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A visitor (visit.h) may come to a process that was visited before. Then the
 * listening thread decides whether another visit is possible, and begins it. If
 * the last visit is about to end, for example because its command was killed,
 * the visitor waits for its end. There is one visitor at a time.
 */
#ifndef PB_TRACE_HANDOVER_H
#define PB_TRACE_HANDOVER_H

#include <stddef.h>

/* Returns 0, or -errno and the reason in @why. */
typedef int (*pb_begin_visit)(const char *options, char *why, size_t size);

/* Call on the visitor's thread. Calls @begin there if no thread listens. */
int pb_handover(const char *options, char *why, size_t size, pb_begin_visit begin);

/* Call on the listening thread: if a visitor waits, calls @begin. */
void pb_handover_look(pb_begin_visit begin);

/* Call in a forked child, which has neither thread. */
void pb_handover_forget(void);

#endif /* PB_TRACE_HANDOVER_H */
