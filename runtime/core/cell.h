/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Cells: memory for functions that are or were armed, and for no others. Here they
 * are of one function each; those that functions share are in shared.h.
 */
#ifndef PB_CORE_CELL_H
#define PB_CORE_CELL_H

#include "module.h"
#include "tracer.h"

/* Make sure that @nr more cells can be taken without allocating. */
int pb_cells_reserve(struct pb_module *module, size_t nr);
struct patchbay_cell *pb_cell_take(struct pb_module *module);

/* Undo pb_cell_take(), the last one first; nobody has seen the cell. */
void pb_cell_give_back(struct pb_module *module, struct patchbay_cell *cell);

/* Does @slot lead to a cell of @module? */
int pb_is_cell(const struct pb_module *module, uintptr_t slot);

/*
 * The cell of the function of @record, its own or a shared one; NULL if it never
 * had one, or has been disarmed while others went on with what they shared.
 * Neither record nor slot is trusted to be what it was.
 */
struct patchbay_cell *pb_cell_of(const struct pb_module *module,
				 const struct patchbay_record *record);

/*
 * Does the slot of @record's function lead to a cell that is or was the function's?
 * 0: no, and no thread looks at it. -EILSEQ: no, but it did, so it must not be
 * written any more.
 */
int pb_is_led(const struct pb_module *module,
	      const struct patchbay_record *record);

/* How many functions @ops is armed on. Under the change lock or the engine lock. */
size_t pb_cells_count_armed(const struct patchbay_ops *ops);

/* How many functions have @cell, armed or not. */
size_t pb_cell_users(const struct pb_module *module,
		     const struct patchbay_cell *cell);

/*
 * Every cell of a module that was taken, armed or not; or those of them whose
 * addresses are in @range, and all that are shared.
 */
struct pb_cell_walk {
	const struct pb_module *module;
	unsigned int shared; /* the next one */
	struct pb_cell_chunk *chunk;
	struct pb_cell_range range;
	size_t next, end;
};

#define PB_CELLS_ALL ((struct pb_cell_range){ 0, UINTPTR_MAX })
#define PB_CELLS_NONE ((struct pb_cell_range){ UINTPTR_MAX, 0 })
#define PB_CELLS_SHARED ((struct pb_cell_range){ 0, 0 }) /* there is no other */

struct pb_cell_walk pb_cell_walk_start(const struct pb_module *module,
				       struct pb_cell_range range);
struct patchbay_cell *pb_cell_next(struct pb_cell_walk *walk);

#define pb_for_each_cell_in(module, range, walk, cell)                         \
	for ((walk) = pb_cell_walk_start(module, range);                       \
	     ((cell) = pb_cell_next(&(walk)));)
#define pb_for_each_cell(module, walk, cell)                                   \
	pb_for_each_cell_in(module, PB_CELLS_ALL, walk, cell)

/*
 * Make @cell enter @enter from now on. A thread on its way may see what
 * trampolines find in cell->since before or after the change, in whatever order:
 * to them a direct way is but a shorter one to the same (arch/x86_64/direct.S).
 */
void pb_cell_enter_by(struct patchbay_cell *cell, patchbay_handler enter);

/*
 * Give @cell this set, whose tracers it has from now on. A thread that entered
 * the cell before finds the cell's own fields as they were, or walks the new set
 * (pb_set_call_fast()). The old set is for the caller to retire (settle.h).
 */
void pb_cell_enter_set(struct patchbay_cell *cell, const struct pb_set *set);

/* Is its set what @cell enters? It may be nobody's, or from before (settle.c). */
int pb_cell_has_set(const struct patchbay_cell *cell);

/*
 * Was @ops alone in @cell, which may be NULL, and has left it to tracers who came
 * meanwhile, and a thread may still be inside that entered the cell before these came?
 * It looks for itself among the tracers of the set (call.c, own_of()), so whoever comes
 * back must not be there before it is gone: it would take one arming for the other.
 */
int pb_may_be_inside(const struct pb_module *module, const struct patchbay_cell *cell,
		     const struct patchbay_ops *ops);

/* Make every cell of @module enter @enter from now on. */
void pb_cells_redirect(struct pb_module *module, patchbay_handler enter);

/* Add to *@armed how many have a tracer, to *@memory what all need in bytes. */
void pb_cells_weigh(const struct pb_module *module, uint64_t *armed,
		    uint64_t *memory);

/* Free all cells and their sets; nobody may be able to reach one any more. */
void pb_cells_free(struct pb_module *module);

#endif /* PB_CORE_CELL_H */
