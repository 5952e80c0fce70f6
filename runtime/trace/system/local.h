/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Atomic operations on words that only one thread and its own signal handlers
 * write to. A signal handler may run between any two instructions.
 */
#ifndef PB_TRACE_LOCAL_H
#define PB_TRACE_LOCAL_H

#include <counter.h>

/*
 * Increments *@word and returns the old value. No two calls by the thread and
 * its signal handlers return the same value.
 */
static inline uint64_t pb_count_up(uint64_t *word)
{
	uint64_t old;

	do
		old = __atomic_load_n(word, __ATOMIC_RELAXED);
	while (!pb_local_cmpxchg(word, &old, old + 1));
	return old;
}

/* If *@word is @old, set it to @new and return 1. */
static inline int pb_exchange(uint64_t *word, uint64_t old, uint64_t new)
{
	const uint64_t wanted = old;

	do
		if (pb_local_cmpxchg(word, &old, new))
			return 1;
	while (old == wanted);
	return 0;
}

#endif /* PB_TRACE_LOCAL_H */
