/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The layer cells/: the tracers of functions. Cells change under the engine lock, while calls
 * read them without a lock. A private cell lives as long as its module. A set lives until a
 * grace period after the cell has got another set.
 *
 * Only functions that are or were armed have a cell. This file has private cells, of one
 * function each. shared_cells.h has the cells that functions share.
 */
#pragma once

#include "types/module.h"
#include "types/tracer.h"

/* Allocate private cells, so that the next @nr calls of pb_cell_take() cannot fail. */
int pb_cells_reserve(struct pb_module *module, size_t nr);
struct patchbay_cell *pb_cell_take(struct pb_module *module);

/* Undo pb_cell_take() for @cell, which was never published. Undo the last call first. */
void pb_cell_give_back(struct pb_module *module, struct patchbay_cell *cell);

/* Does @slot point to a cell of @module? */
int pb_is_cell(const struct pb_module *module, uintptr_t slot);

/*
 * The cell of the function of @record, private or shared. Returns NULL if the function never
 * had one, or was disarmed while other functions kept its shared cell. Other code may have
 * overwritten record and slot: pb_cell_of() checks both, and finds a shared cell by the
 * recorded owner. So a function can be disarmed even if its slot was changed.
 */
struct patchbay_cell *pb_cell_of(const struct pb_module *module,
				 const struct patchbay_record *record);

/*
 * Returns 1 if the slot of @record's function points to the function's cell; 0 if the function
 * has no cell, so no thread reads the slot; -EILSEQ if the function has a cell, but other code
 * has changed the slot: do not write it again.
 */
int pb_is_led(const struct pb_module *module,
	      const struct patchbay_record *record);

/* The number of functions that @ops is armed on. Under the change lock or the engine lock. */
size_t pb_cells_count_armed(const struct patchbay_ops *ops);

/* The number of functions that use @cell, armed or not. */
size_t pb_cell_users(const struct pb_module *module,
		     const struct patchbay_cell *cell);

/*
 * A walk over all cells of a module that were taken, armed or not. @range: the addresses of the
 * private cells to visit; the walk visits all shared cells.
 */
struct pb_cell_walk {
	const struct pb_module *module;
	unsigned int shared; /* the next shared cell */
	struct pb_cell_chunk *chunk;
	struct pb_cell_range range;
	size_t next, end;
};

#define PB_CELLS_ALL ((struct pb_cell_range){ 0, UINTPTR_MAX })
#define PB_CELLS_NONE ((struct pb_cell_range){ UINTPTR_MAX, 0 })
#define PB_CELLS_SHARED ((struct pb_cell_range){ 0, 0 }) /* no private cell */

struct pb_cell_walk pb_cell_walk_start(const struct pb_module *module,
				       struct pb_cell_range range);
struct patchbay_cell *pb_cell_next(struct pb_cell_walk *walk);

#define pb_for_each_cell_in(module, range, walk, cell)                         \
	for ((walk) = pb_cell_walk_start(module, range);                       \
	     ((cell) = pb_cell_next(&(walk)));)
#define pb_for_each_cell(module, walk, cell)                                   \
	pb_for_each_cell_in(module, PB_CELLS_ALL, walk, cell)

/*
 * Set @cell->enter to @enter, and the state of @cell to match. A thread that is entering the
 * cell may see the old or the new cell->since, and the old or the new cell->enter, in any
 * combination. That is safe, because a direct way has the same effect as the handler in
 * cell->enter, in fewer steps (arch/x86_64/direct.h).
 */
void pb_cell_enter_by(struct patchbay_cell *cell, patchbay_handler enter);

/*
 * Give @cell the tracers of @set. A thread that entered the cell before sees the cell's own
 * fields unchanged, or walks the new set (pb_set_call_fast()). The caller retires the old set
 * (settle.h).
 */
void pb_cell_enter_set(struct patchbay_cell *cell, const struct pb_set *set);

/* Do calls enter @cell by its set? Returns 0 for pb_set_nobody, and after settle_cell(). */
int pb_cell_has_set(const struct patchbay_cell *cell);

/*
 * May a thread be inside @cell that entered it when @ops was its only tracer? Returns 1 if
 * @ops has been disarmed since, and the cell has other tracers and is not settled. The exit of
 * such a call looks up @ops among the members of the set (own_of() in call.c). Do not arm @ops
 * on @cell before it is settled: own_of() would confuse the two armings. @cell may be NULL.
 */
int pb_may_be_inside(const struct pb_module *module, const struct patchbay_cell *cell,
		     const struct patchbay_ops *ops);

void pb_cells_redirect(struct pb_module *module, patchbay_handler enter);

/* Add the number of functions with a tracer to *@armed, and the cells' bytes to *@memory. */
void pb_cells_weigh(const struct pb_module *module, uint64_t *armed,
		    uint64_t *memory);

/* Free all cells of @module and their sets. No thread can reach them. */
void pb_cells_free(struct pb_module *module);
