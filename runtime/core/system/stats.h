/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counters of what has happened in this process; see struct patchbay_stats. */
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

/* Atomic, because some counters are changed without the engine lock. */
static inline void pb_count(uint64_t *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}
