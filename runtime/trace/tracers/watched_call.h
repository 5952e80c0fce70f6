/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The flag that handlers set when a slow call has ended, for a client that watches
 * (watch.h).
 */
#ifndef PB_TRACE_WATCHED_CALL_H
#define PB_TRACE_WATCHED_CALL_H

#include <stdint.h>

/* The minimum duration of a slow call, in ticks; UINT64_MAX: no client watches. */
extern uint64_t pb_watch_slow;
extern int pb_watch_seen;

/* Call this with each recorded duration. */
static inline __attribute__((always_inline)) void
pb_watch_call(uint64_t duration)
{
	if (__builtin_expect(duration >= __atomic_load_n(&pb_watch_slow,
							 __ATOMIC_RELAXED),
			     0))
		__atomic_store_n(&pb_watch_seen, 1, __ATOMIC_RELAXED);
}

#endif /* PB_TRACE_WATCHED_CALL_H */
