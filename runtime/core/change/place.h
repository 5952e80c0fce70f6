/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Choose a cell for each function of a plan. This is the last step of planning, after the
 * function's tracers and their data are known.
 */
#pragma once

#include "change/settle.h"
#include "types/shared_cells.h"

/*
 * Functions of a module with the same shape that get the same tracers with the same data.
 * @next:   the next group of the plan
 * @chain:  the next group with the same hash
 * @one:    the only tracer, if @set is NULL
 * @set:    all tracers, or NULL
 * @nr:     the number of functions
 * @owns:   the group owns @set; otherwise a target does
 * @cell:   the cell that the functions will share. NULL: each gets a private cell. The cell
 *          is free; or all its functions join the group, and their slots stay; or, with
 *          @joins, other functions with the same tracers keep the cell
 * @led:    some functions' slots point to a shared cell now, so threads may be reading them
 * @filled: @cell has the tracers of the group
 */
struct pb_group {
	struct pb_group *next, *chain;
	struct pb_module *module;
	struct patchbay_cell one;
	struct pb_set *set;
	size_t nr;
	uint32_t shape;
	int owns, led, filled, joins;
	struct pb_shared_cell *cell;
};

/*
 * The smallest group that gets a shared cell. For fewer functions, private cells need no more
 * memory, and their slots are written only once.
 */
#define PB_GROUP_MIN 4

/*
 * In a module of at least this many functions smaller groups get shared cells, too: the bulk
 * path refuses a module with a function that has a private cell (bulk_check.c).
 */
#define PB_MODULE_LARGE 1000

/*
 * Choose and allocate a cell for each target that is armed or gets other tracers. Returns 0 or
 * -ENOMEM. The caller holds the change lock.
 */
int pb_place(struct pb_plan *plan);

void pb_groups_free(struct pb_group *groups);

/*
 * The steps of pb_place(), in this order. pb_groups_begin() resets the state that an earlier
 * plan has left in the shared cells. pb_group_leave() records that @nr functions of @from join
 * @to, or lose their tracers if @to is NULL. When all functions are recorded,
 * pb_group_find_cell() chooses the cell of @g. @join allows a cell that other functions keep.
 */
void pb_groups_begin(struct pb_module *module);
static inline void pb_group_leave(struct pb_shared_cell *from,
				  struct pb_group *to, uint32_t nr)
{
	if (from->leaving && from->to != to)
		from->scattered = 1;
	from->leaving += nr;
	from->to = to;
}

void pb_group_find_cell(struct pb_group *g, int join);

/* Are there enough free cells for @nr groups of any kind? */
int pb_groups_fit(const struct pb_module *module, unsigned int nr);

/* The functions below apply the plan to cells, under the engine lock. They write no text. */
/*
 * Fill the new cell of a function with its tracers. No thread is inside the cell: a cell that
 * was disarmed is not reused before a wait.
 */
void pb_fill_target(struct pb_target *t);

/* Fill the cell of a group, unless the cell has tracers: pb_swap_group() replaces these. */
void pb_fill_group(struct pb_group *g);

/*
 * Empty the cell of a group whose functions could not be armed. @seen: some of their sites
 * were armed for a moment. If @seen is 0, and no slot led to a shared cell before, no thread
 * has entered the cell.
 */
void pb_unfill_group(struct pb_group *g, int seen);

/* Replace the tracers of a function that keeps its cell. Its slot does not change. */
void pb_swap_target(struct pb_target *t);

/* Replace the tracers of a group's cell, unless an earlier call for the group has done so. */
void pb_swap_group(struct pb_group *g);

/* The only new tracer of a target without a set. */
struct patchbay_cell pb_target_tracer(const struct pb_target *t);

/* The value to store into the slot of @t. */
uintptr_t pb_target_slot(const struct pb_target *t);

/*
 * Returns the present owner of function @i, as its slot says. Call this after writing text has
 * failed half way: the slot points to the cell of @owner, or still to the old cell.
 */
unsigned int pb_owner_found(const struct pb_module *module, size_t i,
			    unsigned int owner);

/* Record @owner as the new owner of function @i, whose old cell then needs settling. */
static inline void pb_change_owner(struct pb_module *module, size_t i, unsigned int owner)
{
	const unsigned int before = pb_owner(module, i);

	if (before >= PB_OWNER_FIRST && before != owner)
		pb_mark_unsettled(module, 0);
	pb_owner_set(module, i, owner);
}

/* Empty @cell: threads that enter it call no handler. */
void pb_empty_cell(struct patchbay_cell *cell);
