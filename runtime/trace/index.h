/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is counted for each function has a place of its own, but functions share
 * their cells, and with them cell->data. So that says where to look up the place, by
 * the function's address: entries are at least PATCHBAY_PREFIX_SIZE bytes apart, so
 * each has an element of an array to itself that has one for so many bytes of text.
 * That is 4 bytes for each 16 of text, between the first function and the last; a
 * call finds its place by two loads more than if the data were its own. For a cell of
 * 64 bytes of its own it would take one, from another cache line.
 *
 * Records of events need no place: see pb_function_number().
 */
#ifndef PB_TRACE_INDEX_H
#define PB_TRACE_INDEX_H

#include <patchbay/patchbay.h>

#define PB_INDEX_STEP PATCHBAY_PREFIX_SIZE

/*
 * @place: by address, divided by PB_INDEX_STEP: it begins where address 0 would be
 * @of:    what the places are of
 * @next:  the one that was made before
 */
struct pb_index {
	const uint32_t *place;
	void *of;
	uint32_t *memory;
	struct pb_index *next;
};

/* The place of function @ip, which the index was made for. */
static inline uint32_t pb_index_get(const struct pb_index *index, uintptr_t ip)
{
	return *(const uint32_t *)((uintptr_t)index->place +
				   ip / PB_INDEX_STEP * sizeof(uint32_t));
}

/*
 * A new index of these functions, which it becomes the data of: they have the places
 * @first and following, of @of. It stays for ever, because a thread may use it at any
 * time, until the recording is over. NULL: out of memory. Called one after another.
 */
struct pb_index *pb_index_new(struct patchbay_target *targets, size_t nr,
			      uint32_t first, void *of);

/* The recording is over: no tracer is there. */
void pb_index_forget(void);

#endif /* PB_TRACE_INDEX_H */
