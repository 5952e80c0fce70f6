/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Choose a cell for each function of a plan. This is the last part of planning, after the
 * function's tracers and their data are known.
 */
#ifndef PB_CORE_PLACE_H
#define PB_CORE_PLACE_H

#include "change/plan.h"
#include "types/shared_cells.h"

/*
 * How a group gets its shared cell:
 *
 * PB_GROUP_NEW    the cell is free
 * PB_GROUP_STAYS  all functions of the cell join the group. The cell is changed in place,
 *                 and their slots stay
 * PB_GROUP_JOINS  other functions have the cell already, with the same tracers
 */
enum pb_group_way { PB_GROUP_NEW, PB_GROUP_STAYS, PB_GROUP_JOINS };

/*
 * Functions of a module with the same shape that get the same tracers with the same data.
 * @next:   the next group of the plan
 * @chain:  the next group with the same hash
 * @one:    the only tracer, if @set is NULL
 * @set:    all tracers, or NULL
 * @nr:     the number of functions
 * @owns:   the group owns @set; otherwise a target does
 * @cell:   the cell that the functions share; NULL: each gets a private cell
 * @led:    some slots led to a cell before, so threads may be reading them
 * @filled: @cell has the tracers
 * @first, @last: the range of records that contains the functions
 */
struct pb_group {
	struct pb_group *next, *chain;
	struct pb_module *module;
	struct patchbay_cell one;
	struct pb_set *set;
	size_t nr;
	uint32_t shape;
	int owns, led, filled;
	enum pb_group_way way;
	struct pb_shared_cell *cell;
	size_t first, last;
};

/*
 * The least number of functions worth a shared cell. For fewer, private cells need no more
 * memory, and their slots are written only once.
 */
#define PB_GROUP_MIN 4

/*
 * Choose a cell for each target that is armed or changes its tracers, and allocate what is
 * needed. Returns 0 or -ENOMEM. The caller holds the change lock.
 */
int pb_place(struct pb_plan *plan);

void pb_groups_free(struct pb_group *groups);

/*
 * The steps of pb_place(). pb_groups_begin() resets the state of an earlier plan.
 * pb_group_leave() records that @nr functions of @from join @to, or lose their tracers if
 * @to is NULL. After all of these, pb_group_find_cell() chooses the cell of @g; with @join
 * it may be one that other functions have.
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

/* Do all functions of @cell lose their last tracer? Then @cell is emptied in place. */
static inline int pb_is_left_by_all(const struct pb_shared_cell *cell)
{
	return cell->leaving == cell->nr && !cell->to && !cell->scattered;
}

#endif /* PB_CORE_PLACE_H */
