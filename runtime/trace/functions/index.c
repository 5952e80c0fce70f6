/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "index.h"

#include <core/system/memory.h>


static struct pb_index *indexes;

void pb_index_forget(void)
{
	struct pb_index *index;

	while ((index = indexes)) {
		indexes = index->next;
		pb_free(index->memory);
		pb_free(index);
	}
}

struct pb_index *pb_index_new(struct patchbay_target *targets, size_t nr,
			      uint32_t first, void *of)
{
	uintptr_t low = UINTPTR_MAX, high = 0;
	struct pb_index *index;
	uint32_t *place;

	for (size_t i = 0; i < nr; i++) {
		const uintptr_t at = targets[i].entry / PB_INDEX_STEP;

		low = at < low ? at : low;
		high = at > high ? at : high;
	}
	index = pb_calloc(1, sizeof(*index));
	/*
	 * The array may be large if functions are far apart, but pages that are never
	 * written cost no memory.
	 */
	place = pb_calloc(high - low + 1, sizeof(*place));
	if (!index || !place) {
		pb_free(index);
		pb_free(place);
		return NULL;
	}
	index->place = (const uint32_t *)((uintptr_t)place -
					  low * sizeof(*place));
	index->of = of;
	index->memory = place;
	index->next = indexes;
	indexes = index;
	for (size_t i = 0; i < nr; i++) {
		place[targets[i].entry / PB_INDEX_STEP - low] =
			first + (uint32_t)i;
		targets[i].data = index;
	}
	return index;
}
