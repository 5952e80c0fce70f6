/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * In bulk: functions that have tracers, and come to have one more, or one less but
 * not none. Where all that share a cell are among those of a request, the cell is
 * given another set, and that is all: their slots and sites stay as they are.
 * Threads in flight are safe for the same reasons as with any other cell
 * that is given a set (pb_cell_enter_set(), call.h).
 *
 * Where only some of them are, these would have to go to another cell, and a plan
 * does that.
 */
#ifndef PB_CORE_BULK_SWAP_H
#define PB_CORE_BULK_SWAP_H

#include "change/bulk_text.h"

/*
 * By owner: how many functions of a request lead there, and whether they stay among
 * those whose sites are to be changed.
 */
struct pb_bulk_owners {
	uint32_t nr[PB_NR_SHARED];
	uint8_t stays[PB_NR_SHARED];
};

/*
 * Count the chosen functions, which are from @first to @last, by owner; those whose owner
 * does not stay are chosen no more.
 */
void pb_bulk_sort_out(struct pb_bulk_module *b, struct pb_bulk_owners *owners,
		      size_t first, size_t last);

/*
 * The request arms: make sets for the cells that get one, whose functions are then no
 * longer among the chosen ones of @b. Returns 0, PB_NOT_BULK, PB_UNSETTLED or a negative
 * errno (bulk.h). Not under the engine lock.
 */
int pb_bulk_find_swaps(struct pb_bulk *bulk, struct pb_bulk_module *b);

/*
 * The request disarms: @cell, which has its tracer among others, is to lose it. Returns
 * 0 or -ENOMEM.
 */
int pb_bulk_swap_out(const struct pb_bulk *bulk, struct pb_bulk_module *b,
		     struct pb_shared_cell *cell);

/* Is function @i of @b one whose cell is given a set? */
int pb_bulk_is_swapped(const struct pb_bulk_module *b, size_t i);

/* Under the engine lock: give all cells their sets. It cannot fail. */
void pb_bulk_swap(const struct pb_bulk *bulk);

#endif /* PB_CORE_BULK_SWAP_H */
