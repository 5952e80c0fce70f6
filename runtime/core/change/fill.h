/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Changes the cells as a plan says. All functions run under the engine lock. None writes
 * text.
 */
#ifndef PB_CORE_FILL_H
#define PB_CORE_FILL_H

#include "change/plan.h"

/*
 * Fill the new cell of a function with its tracers. No thread is inside the cell: disarming
 * has waited.
 */
void pb_fill_target(struct pb_target *t);

/* The same for a group. A cell that is in use gets its tracers later. */
void pb_fill_group(struct pb_group *g);

/*
 * Empty the cell of a group whose functions could not be armed. @seen: some of their sites
 * were armed for a moment. Otherwise no thread has entered the cell, unless a slot led to
 * one before.
 */
void pb_unfill_group(struct pb_group *g, int seen);

/* Give a function that keeps its cell its new tracers. Its slot does not change. */
void pb_swap_target(struct pb_target *t);

/* The same for a group, unless another function of the group has done so. */
void pb_swap_group(struct pb_group *g);

/* The value to store into the slot. */
uintptr_t pb_target_slot(const struct pb_target *t);

/*
 * The slot of function @i was to lead to @owner, but writing has failed half way. Returns
 * where the slot leads now.
 */
unsigned int pb_owner_found(const struct pb_module *module, size_t i,
			    unsigned int owner);

/* Record that function @i leads to @owner now. The cell that it has left needs settling. */
void pb_lead(struct pb_module *module, size_t i, unsigned int owner);

/* Empty @cell: threads that enter it call no handler. */
void pb_empty_cell(struct patchbay_cell *cell);

#endif /* PB_CORE_FILL_H */
