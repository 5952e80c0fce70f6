/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Operations on words that only one thread writes to. The operations are atomic with
 * respect to the thread's own signal handlers.
 */
#ifndef PB_TRACE_LOCAL_H
#define PB_TRACE_LOCAL_H

#include <counter.h>

/*
 * Increments *@word and returns the old value. Each call by the thread or its signal
 * handlers returns a different value.
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
