/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the threads of a process record into, all together (max-memory=): blocks, and what
 * they count in. With the session's lock held.
 */
#ifndef PB_TRACE_MEMORY_LIMIT_H
#define PB_TRACE_MEMORY_LIMIT_H

#include "session.h"

/*
 * May a thread have so much more? A quarter is kept for the first blocks of threads that
 * come later: else those that are busy first would have it all.
 */
static inline int pb_memory_has_room(uint64_t size, int is_first)
{
	uint64_t limit = pb_options.max_memory;

	if (!is_first)
		limit -= limit / 4;
	return !pb_options.max_memory || pb_session->memory + size <= limit;
}

static inline void pb_memory_take(uint64_t size)
{
	pb_session->memory += size;
	pb_session->rotation.has_events = 1;
}

/* What was taken before the file was rotated is none of the present one. */
static inline void pb_memory_give(uint64_t size)
{
	pb_session->memory -=
		size < pb_session->memory ? size : pb_session->memory;
	if (pb_options.max_memory)
		__atomic_fetch_add(&pb_session->again, 1, __ATOMIC_RELAXED);
}

#endif /* PB_TRACE_MEMORY_LIMIT_H */
