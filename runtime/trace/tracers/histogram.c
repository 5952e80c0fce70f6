/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The function_profile tracer with histogram=1. Each thread has its own histograms
 * (tally.h), so additions need no bus lock and are only atomic with respect to signal
 * handlers of the thread.
 */
#include "functions/index.h"
#include "threads/tally.h"
#include "tracers.h"

#include <counter.h>
#include <patchbay/exit.h>

static void raise_longest(uint64_t *longest, uint64_t duration)
{
	uint64_t old;

	do
		old = __atomic_load_n(longest, __ATOMIC_RELAXED);
	while (old < duration && !pb_local_cmpxchg(longest, &old, duration));
}

static unsigned int bucket_of(uint64_t duration)
{
	unsigned int log2 = 63u - (unsigned int)__builtin_clzll(duration | 1);

	return log2 < PBD_HISTOGRAM_BUCKETS ? log2 : PBD_HISTOGRAM_BUCKETS - 1;
}

PB_HANDLER(pb_histogram_exit)
{
	uint64_t duration = patchbay_duration(regs);
	uint64_t function = pb_index_get(cell->data, ip);
	struct pbd_histogram *histogram =
		(struct pbd_histogram *)pb_tally_get(function, function);

	if (!histogram)
		return;
	pb_local_add(&histogram->bucket[bucket_of(duration)], 1);
	pb_local_add(&histogram->total, duration);
	raise_longest(&histogram->longest, duration);
}
