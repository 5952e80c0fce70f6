/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Words that only a thread and its own signal handlers write to, which may come
 * between any two instructions.
 */
#ifndef PB_TRACE_LOCAL_H
#define PB_TRACE_LOCAL_H

#include <counter.h>

/* As often as the thread and its handlers do this it is another number. */
static inline uint64_t pb_count_up(uint64_t *word)
{
	uint64_t old;

	do
		old = __atomic_load_n(word, __ATOMIC_RELAXED);
	while (!pb_local_cmpxchg(word, old, old + 1));
	return old;
}

/* Did it have the value @old? Then it has the new one. */
static inline int pb_exchange(uint64_t *word, uint64_t old, uint64_t new)
{
	while (__atomic_load_n(word, __ATOMIC_RELAXED) == old)
		if (pb_local_cmpxchg(word, old, new))
			return 1;
	return 0;
}

#endif /* PB_TRACE_LOCAL_H */
