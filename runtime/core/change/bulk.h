/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The bulk path: arm or disarm one tracer on many functions, which one filter selects (the
 * usual request). The request needs one bit of memory per function. Functions of the same
 * shape share a cell. Text is changed in the order of addresses: the library copies a block,
 * changes the sites and slots in the copy, and writes the copy. If the functions also have
 * other tracers, only their cells change (bulk_swap.c).
 *
 * The bulk path writes back the code between the sites, so only some architectures have it
 * (pb_arch_rewrite; arch/<name>/arch_bulk.h has the details). A plan carries out all other
 * requests (plan.h).
 *
 * bulk.c and bulk_check.c collect the data, bulk_text.c writes text.
 */
#pragma once

#include "arch/arch.h"
#include "change/engine.h"
#include "change/place.h"
#include "types/choice.h"

#include "arch_bulk.h"

/* The size of the hash table of groups by shape, which is larger than the number of cells. */
#define PB_NR_SHAPES 512

/*
 * The functions of one shape to arm.
 * @reach: pb_bulk_reach() of sites at the entry, and of sites after a landing pad; 0 until
 *         such a site has been checked
 */
struct pb_bulk_group {
	struct pb_group group;
	uintptr_t reach[2];
};

/*
 * The work on one module.
 * @choice:  the functions to change
 * @nr:      the number of functions in @choice
 * @groups:  when arming: the groups by shape, as a list. @by_shape has them as a hash table,
 *           and @last is the group that was looked up last
 * @swaps:   cells that get another set; they have @nr_swapped functions, which are not in
 *           @choice (bulk_swap.c)
 * @asked:   the functions to ask the tracer's @check about; no bits if it has no @check
 * @slots:   some slots need a write
 * @first:   no site of the module was ever armed, so no thread reads its slots
 */
struct pb_bulk_module {
	struct pb_bulk_module *next;
	struct pb_module *module;
	struct pb_choice choice, asked;
	size_t nr, nr_swapped;
	struct pb_group *groups, *swaps;
	struct pb_bulk_group *by_shape[PB_NR_SHAPES], *last;
	unsigned int nr_groups;
	int slots, first;
};

/*
 * @copies: memory for two copies of a block of text, each of PB_BULK_COPY_SIZE bytes
 * @handle: the result of pb_text_open()
 */
#define PB_BULK_COPY_SIZE 69632
struct pb_bulk {
	struct pb_request *request;
	struct pb_bulk_module *modules;
	uint8_t *copies;
	int handle;
};

/*
 * Hide the value of @pointer from the compiler. Otherwise the compiler derives more pointers
 * from @pointer, advances each in the loop, and runs out of registers.
 */
#define PB_KEEP_ONE(pointer) __asm__("" : "+r"(pointer))

static inline struct pb_bulk_group *pb_bulk_group(struct pb_bulk_module *b,
						  uint32_t shape)
{
	unsigned int at = shape * 2654435761u >> 23;

	if (b->last && b->last->group.shape == shape)
		return b->last;
	while (b->by_shape[at] && b->by_shape[at]->group.shape != shape)
		at = (at + 1) % PB_NR_SHAPES;
	return b->last = b->by_shape[at];
}

/*
 * pb_bulk_check() finds the functions of @b to arm, and their groups. It changes nothing that
 * other threads see. Returns 0, PB_NOT_BULK or a negative errno (engine.h).
 *
 * pb_bulk_ask() calls the tracer's @check, and removes the functions that @check refuses. Call
 * pb_bulk_ask() after pb_bulk_check() has accepted all modules: a plan would call @check for a
 * function again. Returns 0 or a negative errno. Not under the engine lock.
 */
int pb_bulk_check(struct pb_bulk *bulk, struct pb_bulk_module *b);
int pb_bulk_ask(struct pb_bulk *bulk, struct pb_bulk_module *b);

/*
 * Write text, under the engine lock. pb_bulk_arm() arms all functions, or returns an error
 * and has armed none. pb_bulk_disarm() disarms all.
 */
int pb_bulk_arm(struct pb_bulk *bulk);
void pb_bulk_disarm(struct pb_bulk *bulk);

/*
 * bulk_swap.c: the bulk path for functions that have tracers before and after the request. If
 * the request selects all functions of a shared cell, the cell gets another set: slots and
 * sites do not change. pb_cell_enter_set() (call.h) keeps calls in progress safe. If the
 * request selects only some functions of a cell, a plan finds another cell for these.
 *
 * For each shared cell (the owner of functions, types/shared_cells.h):
 * @nr:    the number of chosen functions that have the cell
 * @stays: 1: these functions stay in the choice, because their sites change; 0: the cell
 *         gets another set
 */
struct pb_bulk_owners {
	uint32_t nr[PB_NR_SHARED];
	uint8_t stays[PB_NR_SHARED];
};

/*
 * Count the chosen functions by owner. Removes functions whose owner does not stay from the
 * choice.
 */
void pb_bulk_count_owners(struct pb_bulk_module *b, struct pb_bulk_owners *owners);

/*
 * For a request that arms: make the new sets of cells, and remove the functions of these
 * cells from the choice. Returns 0, PB_NOT_BULK or a negative errno (engine.h). Not under the
 * engine lock.
 */
int pb_bulk_find_swaps(struct pb_bulk *bulk, struct pb_bulk_module *b);

/*
 * For a request that disarms: make a set for @cell without the tracer. The cell has other
 * tracers, too. Returns 0 or -ENOMEM.
 */
int pb_bulk_swap_out(const struct pb_bulk *bulk, struct pb_bulk_module *b,
		     struct pb_shared_cell *cell);

/* Does the cell of function @i of @b get another set? */
int pb_bulk_is_swapped(const struct pb_bulk_module *b, size_t i);

/* Under the engine lock: give all cells their new sets. Cannot fail. */
void pb_bulk_swap(const struct pb_bulk *bulk);
