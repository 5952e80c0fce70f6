/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Atomic operations, and counters of events in this process (struct patchbay_stats). */
#pragma once

#include <patchbay/patchbay.h>

/* Other processes read this, too (live_view.h). */
struct pb_stats {
	uint64_t batches;
	uint64_t membarriers;
	uint64_t text_writes;
	uint64_t refused[PATCHBAY_SITE_NR_STATES];
	uint64_t left;
	uint64_t timeouts;
	uint64_t waited_for;
	uint64_t unseen;
};

extern struct pb_stats pb_stats;

/* Change *@at from @old to @new: acquire and release. Returns 0 if *@at is not @old. */
#define pb_compare_and_swap(at, old, new)                                      \
	({                                                                     \
		__typeof__(*(at)) expected = (old);                            \
		__atomic_compare_exchange_n(at, &expected, new, 0,             \
					    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED); \
	})

/* Atomic, because some counters are changed without the engine lock. */
static inline void pb_count(uint64_t *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}
