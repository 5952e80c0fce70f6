/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The room change/: from requests to cells and text. The caller holds the caller lock and
 * the change lock, and allocates everything first. The change itself is made under the engine
 * lock, or taken back. A plan lives for one batch. What it replaces is retired (settle.h).
 *
 * What shall be: from requests of several tracers to the new tracers of each
 * function that they touch. Planning changes nothing that others can see.
 */
#ifndef PB_CORE_PLAN_H
#define PB_CORE_PLAN_H

#include "arch/arch.h"
#include "names/filter.h"
#include "types/module.h"
#include "types/set.h"

struct pb_group;

/*
 * Arm or disarm @ops on what @filter selects. Requests are carried out in the
 * order of their list.
 * @flags: PATCHBAY_ARM_*
 * @all:   of a disarm, forget all filters for modules to come
 * @fresh: the filter is not among those for modules to come yet
 * @order: in the list
 * @nr:    how many functions it armed or disarmed
 * @known: how many it found, armed already or not
 * @found: while it is planned, NULL, or which items of a list were found
 * @own_data: the tracer's data are not the same for all functions of a module
 */
struct pb_request {
	struct pb_request *next;
	struct patchbay_ops *ops;
	struct pb_filter *filter;
	unsigned int flags;
	int disarm, all, fresh, own_data;
	unsigned int order;
	size_t nr, known;
	unsigned char *found;
};

/*
 * What is to be done to a function that changes:
 *
 * PB_STEP_ARM     it had no tracer: arm its site
 * PB_STEP_SWAP    it has tracers before and after: give its cell another set
 * PB_STEP_DISARM  none is left: disarm its site
 */
enum pb_step {
	PB_STEP_NONE,
	PB_STEP_ARM,
	PB_STEP_SWAP,
	PB_STEP_DISARM,
	PB_NR_STEPS
};

/*
 * A request on one function. Several on the same follow each other; the first
 * is where it says what is to be done. There may be very many, so a target is no
 * more than a cache line.
 * @data:  of a tracer to be armed
 * @arms:  it is armed by this request when all is done
 *
 * Of the first:
 * @nr:    how many of them there are
 * @group: whom it shares its new cell with (place.h); NULL: it has none, or one
 *         of its own
 * @cell:  that it has, its own or a shared one, or NULL. If it is to have one of
 *         its own, that
 * @set:   its new tracers; NULL if none, or if it is one, by the request that
 *         @arms, and the site is to be armed; or if @group has them
 * @step:  enum pb_step
 * @owner: where its slot is to lead (shared_cells.h)
 * @armed: the site already is, after another patcher meddled with it
 * @fresh: the cell has never been what an armed site leads to
 * @moves: its slot leads to a cell that others keep, and is to lead to another
 *
 * Of each:
 * @asked:   the tracer's @check was called; @refused: and refused the function
 * @counted: among the functions that the request armed or disarmed
 */
struct pb_target {
	struct pb_module *module;
	const struct patchbay_record *record;
	struct pb_request *request;
	void *data;
	struct pb_group *group;
	struct patchbay_cell *cell;
	struct pb_set *set;
	uint32_t nr;
	uint8_t step, owner;
	uint8_t arms : 1, armed : 1, fresh : 1, moves : 1;
	uint8_t asked : 1, refused : 1, counted : 1;
};

_Static_assert(sizeof(struct pb_target) <= 64, "target outgrew line");

/*
 * @module:    where the targets of the last module begin
 * @unsorted:  they are not in the order of functions
 * @nr_steps:  how many functions change
 * @steps:     how many take each step
 * @groups:    of functions that share a cell
 * @moves:     slots of armed functions are to lead to other cells
 * @sets:      targets have sets
 * @removes:   a tracer goes from some function, or is replaced
 * @tried:     with @is_trial, the targets up to the first function that cannot be armed
 * @is_trial:  steps are made before tracers are asked, and sites not counted
 */
struct pb_plan {
	struct pb_target *targets;
	size_t nr, room, module;
	size_t nr_steps, steps[PB_NR_STEPS];
	struct pb_group *groups;
	int unsorted, moves, sets, removes;
	size_t tried;
	int is_trial;
};

/*
 * Fill in @plan, zero before, for @requests, in all modules or in @only.
 * Allocates everything that it takes to carry the plan out, and asks the
 * tracers for their data. The caller holds the change lock, not the engine lock.
 * Targets of modules that go while tracers are asked are left out.
 * Returns 0, an error of patchbay_arm(), or PB_UNSETTLED: a function is to be armed
 * whose cell may have threads in handlers from before it was disarmed.
 */
#define PB_UNSETTLED 1
int pb_plan(struct pb_plan *plan, struct pb_request *requests,
	    struct pb_module *only);

/* Free the plan, with the sets that have not been put to use. */
void pb_plan_free(struct pb_plan *plan);

/* A way to the trampolines for a module where something is armed. */
int pb_plan_reach(struct pb_module *module);

/*
 * May the tracer of @asked be on its function, by what the function is, if the tracer
 * has an exit? 1: no, but that is no error.
 */
int pb_check_exit(const struct pb_target *asked);

/* Is it no error for @request that a function has this one? */
int pb_may_skip(const struct pb_request *request, int error);

static inline struct pb_site pb_target_site(const struct pb_target *target)
{
	return (struct pb_site){
		.entry = pb_record_entry(target->record),
		.site = pb_record_site(target->record),
		.reach = pb_arch_reach(target->module, target->record),
		.record = target->record,
	};
}

#endif /* PB_CORE_PLAN_H */
