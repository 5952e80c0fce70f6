/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a plan says of cells, carried out. All of it under the engine lock; nothing
 * here writes text.
 */
#ifndef PB_CORE_FILL_H
#define PB_CORE_FILL_H

#include "change/plan.h"

/*
 * Give a function the cell that it comes to, with its tracers. No thread is inside:
 * disarming has waited.
 */
void pb_fill_target(struct pb_target *t);

/* Give a function's own cell its only tracer, @from. No thread is inside. */
void pb_fill_own(struct patchbay_cell *cell, struct patchbay_cell from);

/* The same for a group; a cell that is in use gets its tracers later. */
void pb_fill_group(struct pb_group *g);

/*
 * Its functions are not armed after all, so it has no tracers. @seen: some of their
 * sites were for a moment. Otherwise no thread has found the cell, if no slot led
 * anywhere.
 */
void pb_unfill_group(struct pb_group *g, int seen);

/* Let a function that keeps its cell have its new tracers: its slot stays. */
void pb_swap_target(struct pb_target *t);

/* The same for a group, unless others of it have come before. */
void pb_swap_group(struct pb_group *g);

/* What the slot is to say. */
uintptr_t pb_target_slot(const struct pb_target *t);

/*
 * Where the slot of function @i was to lead to @owner, but not all that was to be
 * written was: where does it lead?
 */
unsigned int pb_owner_found(const struct pb_module *module, size_t i,
			    unsigned int owner);

/* Function @i leads to @owner by now; the cell that it has left is to be settled. */
void pb_lead(struct pb_module *module, size_t i, unsigned int owner);

/* No thread may enter any more. */
void pb_empty_cell(struct patchbay_cell *cell);

#endif /* PB_CORE_FILL_H */
