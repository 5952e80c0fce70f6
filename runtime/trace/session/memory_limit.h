/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The limit for the buffers and counters of all threads together (max-memory=). Callers
 * hold the session's lock.
 */
#ifndef PB_TRACE_MEMORY_LIMIT_H
#define PB_TRACE_MEMORY_LIMIT_H

#include "session.h"

/*
 * May a thread take @size more bytes? A quarter of the limit is reserved for first blocks
 * (@is_first), so that busy threads leave memory for threads that begin later.
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

/* A switch of files resets @memory to 0, so @size may exceed @memory. */
static inline void pb_memory_give(uint64_t size)
{
	pb_session->memory -=
		size < pb_session->memory ? size : pb_session->memory;
	if (pb_options.max_memory)
		__atomic_fetch_add(&pb_session->again, 1, __ATOMIC_RELAXED);
}

#endif /* PB_TRACE_MEMORY_LIMIT_H */
