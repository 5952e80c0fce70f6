/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The bulk path for functions that have tracers before and after. If a request selects all
 * functions of a shared cell, the cell gets another set: slots and sites do not change.
 * Threads in flight are safe, as with any other cell that gets a set
 * (pb_cell_enter_set(), call.h).
 *
 * If a request selects only some functions of a cell, these need another cell. A plan does
 * that.
 */
#ifndef PB_CORE_BULK_SWAP_H
#define PB_CORE_BULK_SWAP_H

#include "change/bulk_text.h"

/*
 * For each owner: how many functions of a request have it, and whether their sites change.
 */
struct pb_bulk_owners {
	uint32_t nr[PB_NR_SHARED];
	uint8_t stays[PB_NR_SHARED];
};

/*
 * Count the chosen functions by owner. They are from @first to @last. Functions whose owner
 * does not stay are no longer chosen.
 */
void pb_bulk_sort_out(struct pb_bulk_module *b, struct pb_bulk_owners *owners,
		      size_t first, size_t last);

/*
 * For a request that arms: make the new sets of cells. The functions of these cells are
 * then no longer chosen in @b. Returns 0, PB_NOT_BULK, PB_UNSETTLED or a negative errno
 * (bulk.h). Not under the engine lock.
 */
int pb_bulk_find_swaps(struct pb_bulk *bulk, struct pb_bulk_module *b);

/*
 * For a request that disarms: @cell will lose the tracer, and has other tracers, too.
 * Returns 0 or -ENOMEM.
 */
int pb_bulk_swap_out(const struct pb_bulk *bulk, struct pb_bulk_module *b,
		     struct pb_shared_cell *cell);

/* Does the cell of function @i of @b get another set? */
int pb_bulk_is_swapped(const struct pb_bulk_module *b, size_t i);

/* Under the engine lock: give all cells their new sets. Cannot fail. */
void pb_bulk_swap(const struct pb_bulk *bulk);

#endif /* PB_CORE_BULK_SWAP_H */
