/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The layer change/: from requests to cells and text. The caller holds the caller lock and
 * the change lock. This layer first allocates everything. It makes the change under the engine
 * lock, and undoes it on error. A plan lives for one batch. Sets and cells that it replaces
 * are retired (settle.h).
 *
 * A plan lists the functions that requests of several tracers select, with the new tracers
 * of each. Planning changes nothing that other threads see.
 */
#pragma once

#include "arch/arch.h"
#include "names/filter.h"
#include "types/module.h"
#include "types/set.h"

struct pb_group;

/*
 * Arm or disarm @ops on the functions that @filter selects. Requests are carried out in
 * the order of their list.
 * @flags: PATCHBAY_ARM_*
 * @all:   when disarming: also remove all filters of the tracer for future modules
 * @fresh: the filter is not yet among the filters for future modules
 * @order: the position in the list
 * @nr:    the number of functions that the request armed or disarmed
 * @known: the number of functions that the filter selected, armed already or not
 * @found: while planning: a byte for each item of a list filter, 1 if found; or NULL
 * @own_data: the tracer's data differ between functions of a module
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

/* The change of a function. */
enum pb_step {
	PB_STEP_NONE,
	PB_STEP_ARM,	/* no tracer before: arm the site */
	PB_STEP_SWAP,	/* tracers before and after: give the cell another set */
	PB_STEP_DISARM, /* no tracer afterwards: disarm the site */
	PB_NR_STEPS
};

/*
 * A request on one function. Targets of the same function are adjacent; the first of them
 * also describes the function's change. There may be very many targets, so a target fits a
 * cache line.
 * @data:  the data of a tracer to arm
 * @arms:  the batch arms the request's tracer on the function
 *
 * Only in the first target of a function:
 * @nr:    the number of the function's targets
 * @group: the group that shares the new cell (place.h); NULL: no cell, or a private one
 * @cell:  the present cell, private or shared, or NULL; or the new private cell
 * @set:   the new tracers. NULL if there are none, if @group has them, or if the function gets
 *         one tracer: that of the target that @arms
 * @step:  enum pb_step
 * @owner: the new owner (shared_cells.h)
 * @armed: the site is armed already; without tracers, because disarming it has failed
 * @fresh: the private cell was never used
 * @moves: the slot will point to another cell, because other functions keep the present one
 *
 * In each target:
 * @asked:   the tracer's @check was called; @refused: it refused the function
 * @counted: the request's count includes the function
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
 * @module:    the index of the first target of the last module
 * @unsorted:  the targets of that module are not in the order of functions
 * @nr_steps:  the number of functions that change
 * @steps:     the number of functions for each step
 * @groups:    the groups of functions that share a cell
 * @moves:     some slots of armed functions will point to other cells
 * @sets:      some targets have sets
 * @removes:   some function loses a tracer, or has one replaced
 * @is_trial:  do not count refused sites: ask_checks() makes the steps only to find @tried
 * @tried:     the end of the targets that steps were made for; if that failed, the last of
 *               these belong to the function that cannot be armed
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
 * Fill in the zeroed @plan for @requests, in all modules or in @only. Allocates everything
 * that carrying out the plan needs, and asks the tracers for their data. If a module is
 * unloaded meanwhile, the plan drops the module's targets. The caller holds the change lock,
 * not the engine lock. Returns 0, an error of patchbay_arm(), or PB_UNSETTLED: a function to
 * arm was disarmed a moment ago, and threads may still be in its old handlers.
 */
#define PB_UNSETTLED 1
int pb_plan(struct pb_plan *plan, struct pb_request *requests,
	    struct pb_module *only);

/* The index after the last target of the module that target @i belongs to. */
static inline size_t pb_plan_module_end(const struct pb_plan *plan, size_t i)
{
	const struct pb_module *module = plan->targets[i].module;

	while (i < plan->nr && plan->targets[i].module == module)
		i++;
	return i;
}

/* Free the plan, with the sets that were not used. */
void pb_plan_free(struct pb_plan *plan);

/* Prepare the module's path to the trampolines, before a function is armed. */
int pb_plan_reach(struct pb_module *module);

/*
 * May the tracer of @asked be armed on its function, given its exit handler? Returns 0 if
 * so, 1 if the request skips the function, or a negative errno.
 */
int pb_check_exit(const struct pb_target *asked);

/*
 * Add a target to @plan for each function that each of @requests selects, in all modules
 * or in @only. The targets of one function are adjacent, in the order of the requests.
 * Returns 0; -ENOENT if a request does not find the functions that it must find; -ENOMEM;
 * or an error of reading names.
 */
int pb_select(struct pb_plan *plan, struct pb_request *requests,
	      struct pb_module *only);

/*
 * Call these around the selection. pb_requests_begin() allocates memory, or returns
 * -ENOMEM. pb_requests_check() returns -ENOENT if a request has not found the functions
 * that it must find. pb_requests_end() frees the memory.
 */
int pb_requests_begin(struct pb_request *requests);
int pb_requests_check(const struct pb_request *requests);
void pb_requests_end(struct pb_request *requests);

/* All filters for future modules, in the order in which they were given. */
extern struct pb_filter *pb_future;

/*
 * Add or remove filters for future modules, as @requests say. Call this under the engine
 * lock and before a wait, because modules may be loaded during the wait. Afterwards pass
 * @forgotten to pb_future_free(), without the engine lock.
 */
void pb_future_update(struct pb_request *requests, struct pb_filter **forgotten);
void pb_future_free(struct pb_filter *forgotten);

/*
 * Calls of the tracers' callbacks @check and @attach. Callbacks run without the modules lock,
 * so another thread may unload the module during the call: callbacks see copies of the module's
 * data, and the caller then checks pb_module.gone. The caller holds the change lock.
 *
 * @index: for the caller's use. @refused: the tracer refused the function, which is no error
 */
struct pb_question {
	struct patchbay_target target;
	struct patchbay_record record;
	size_t index;
	int refused;
};

void pb_question_init(struct pb_question *question,
		      const struct patchbay_record *record, void *data);

/*
 * Ask the @check of the request's tracer about @nr functions. Returns 0 or a negative
 * errno.
 */
int pb_question_ask(const struct pb_request *request, struct pb_question *questions,
		    size_t nr);

/*
 * Ask all tracers of a plan about the functions of its first @nr targets. Each tracer is
 * asked once about a function. Sets @asked and @refused of the targets. Returns 0 or a
 * negative errno.
 */
int pb_question_ask_plan(struct pb_plan *plan, struct pb_request *requests, size_t nr);

/*
 * Ask the tracer for the data of @nr functions of a module. Sets *@own_data if the data are
 * not all the same. Returns 0 or a negative errno.
 */
int pb_attach(const struct patchbay_ops *ops, const struct pb_module *module,
	      struct patchbay_target *targets, size_t nr, int *own_data);

/* Fill in the first target of a function. Returns the index of the next function's target. */
size_t pb_function_begin(struct pb_plan *plan, size_t i);

/* The description of a function for the tracers' callbacks. */
static inline struct patchbay_target
pb_function_target(const struct patchbay_record *record, void *data)
{
	return (struct patchbay_target){ .entry = pb_record_entry(record),
					 .record = record,
					 .data = data };
}
