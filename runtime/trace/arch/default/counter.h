/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The processor's counter, and the thread-local atomic operations of trace/threads/ring.h.
 */
#ifndef PB_TRACE_ARCH_COUNTER_H
#define PB_TRACE_ARCH_COUNTER_H

#include "format/format.h"

#include <stdint.h>

#if defined(__aarch64__)
#define PB_COUNTER PBD_COUNTER_CNTVCT
#elif defined(__powerpc64__)
#define PB_COUNTER PBD_COUNTER_TB
#elif defined(__riscv)
#define PB_COUNTER PBD_COUNTER_TIME
#endif

/* Does seccomp's strict mode forbid reading the counter? */
#define PB_COUNTER_NOT_IN_STRICT_MODE 0

/* The architecture guarantees a constant rate. */
static inline int pb_counter_is_invariant(void)
{
	return 1;
}

/*
 * If *@word is *@old, set it to @new and return 1; otherwise set *@old to *@word. May fail
 * spuriously, for example after an interrupt, which clears the reservation.
 */
static inline int pb_local_cmpxchg(uint64_t *word, uint64_t *old, uint64_t new)
{
	return __atomic_compare_exchange_n(word, old, new, 1, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
}

static inline void pb_local_add(uint64_t *word, uint64_t value)
{
	__atomic_fetch_add(word, value, __ATOMIC_RELAXED);
}

static inline int pb_is_below(uint64_t value, const uint64_t *limit)
{
	return value < __atomic_load_n(limit, __ATOMIC_RELAXED);
}

static inline int pb_is_zero(const uint64_t *word)
{
	return !__atomic_load_n(word, __ATOMIC_RELAXED);
}

#endif /* PB_TRACE_ARCH_COUNTER_H */
