/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The chunks of slow calls in the data file (why.h). Callers hold the session's lock. */
#ifndef PB_TRACE_SLOW_CALLS_H
#define PB_TRACE_SLOW_CALLS_H

#include "format/format.h"

/* Maximum number of bytes of a stack that are stored. */
#define PB_WHY_STACK 16384u

/* Begin a new file. Does nothing without why=. Returns 0 or -errno. */
int pb_slow_calls_begin(void);

/* Returns space for a slow call, including PB_WHY_STACK bytes for a stack, or NULL. */
struct pbd_slow *pb_slow_calls_take(void);

/* The recording is over: free the table of slow calls. */
void pb_slow_calls_forget(void);

/*
 * Write the executable mappings (struct pbd_maps) if they have changed, because readers
 * need them to resolve addresses on stacks. Checks at most once a second. Returns the id of
 * the last struct pbd_maps; 0: none.
 */
uint32_t pb_mapped_look(uint64_t now_ns);

#endif /* PB_TRACE_SLOW_CALLS_H */
