/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Each function needs its own counter, but functions share cells, and therefore cell->data.
 * So cell->data points to an index, which maps a function's address to the number of its
 * counter (its *place*). The index is an array with one element per PATCHBAY_PREFIX_SIZE
 * bytes of text, the minimum distance between entries. The index needs 4 bytes per 16 bytes
 * of text between the first function and the last. A lookup needs two more loads than
 * private data. (A private cell of 64 bytes would need one load, from another cache line.)
 *
 * Tracers that record events need no index: see pb_function_number().
 */
#ifndef PB_TRACE_INDEX_H
#define PB_TRACE_INDEX_H

#include <patchbay/patchbay.h>

#define PB_INDEX_STEP PATCHBAY_PREFIX_SIZE

/*
 * @place: indexed by address / PB_INDEX_STEP; points to the element for address 0, which
 *         may be outside of the allocated array
 * @of:    the array of counters
 * @next:  the next index in the list of all indexes
 */
struct pb_index {
	const uint32_t *place;
	void *of;
	uint32_t *memory;
	struct pb_index *next;
};

/* Returns the place of function @ip, which must be in the index. */
static inline uint32_t pb_index_get(const struct pb_index *index, uintptr_t ip)
{
	return *(const uint32_t *)((uintptr_t)index->place +
				   ip / PB_INDEX_STEP * sizeof(uint32_t));
}

/*
 * Make an index of these functions, and set their data to the index. The functions get
 * consecutive places in the array @of, from @first on. The index exists until the recording
 * is over, because a thread may use it at any time. Returns NULL if out of memory. Callers
 * must serialize calls.
 */
struct pb_index *pb_index_new(struct patchbay_target *targets, size_t nr,
			      uint32_t first, void *of);

/* The recording is over, and no tracer is left: free all indexes. */
void pb_index_forget(void);

#endif /* PB_TRACE_INDEX_H */
