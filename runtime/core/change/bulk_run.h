/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions to be armed, run by run: those of a run are behind each other, chosen, led
 * by the same owner, and alike. So what goes for all of them is found out once, and a
 * loop over them has little to do.
 */
#ifndef PB_CORE_BULK_RUN_H
#define PB_CORE_BULK_RUN_H

#include "change/bulk_text.h"

/*
 * What functions of a run have in common: their group, where their slots lead and what
 * these say, how far behind their entries their sites are, and what these reach.
 */
struct pb_bulk_run {
	struct pb_group *group;
	uint32_t shape;
	unsigned int owner;
	uintptr_t slot, behind, reach;
};

/* A run that begins with function @i. 0: none like it was looked at before. */
static inline int pb_bulk_run_begin(struct pb_bulk_module *b, struct pb_bulk_run *run,
				    size_t i)
{
	const struct patchbay_record *record = &b->module->records[i];
	const unsigned int owner = pb_owner(b->module, i);
	const uintptr_t behind = (uintptr_t)pb_record_behind(record);
	struct pb_bulk_group *group = pb_bulk_group(b, pb_shape(record));

	if (!group || !group->reach[behind != PB_BULK_NEAR] ||
	    b->slot_of[owner] == PB_BULK_NO_SLOT)
		return 0;
	*run = (struct pb_bulk_run){ .group = &group->group,
				     .shape = pb_shape(record),
				     .owner = owner,
				     .slot = b->slot_of[owner],
				     .behind = behind,
				     .reach = group->reach[behind != PB_BULK_NEAR] };
	return 1;
}

static inline int pb_bulk_run_has(const struct pb_bulk_run *run,
				  const struct patchbay_record *record,
				  uintptr_t behind)
{
	return pb_shape(record) == run->shape &&
	       pb_record_behind(record) == (intptr_t)behind;
}

#endif /* PB_CORE_BULK_RUN_H */
