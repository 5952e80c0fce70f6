/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Cells: memory for functions that are or were armed, and for no others. */
#ifndef PB_CORE_CELL_H
#define PB_CORE_CELL_H

#include "module.h"

/* Make sure that @nr more cells can be taken without allocating. */
int pb_cells_reserve(struct pb_module *module, size_t nr);
struct patchbay_cell *pb_cell_take(struct pb_module *module);

/*
 * The cell that @slot of a function of @module holds: NULL if it is 0, or if
 * it is no address that pb_cell_take() gave.
 */
struct patchbay_cell *pb_cell_from_slot(const struct pb_module *module,
					uintptr_t slot);

/* Make every cell of @module enter @enter from now on. */
void pb_cells_redirect(struct pb_module *module, patchbay_handler enter);

/* Free all cells and their sets; nobody may be able to reach one any more. */
void pb_cells_free(struct pb_module *module);

#endif /* PB_CORE_CELL_H */
