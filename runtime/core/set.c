/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "set.h"

#include "arch.h"

#include <stdlib.h>
#include <string.h>

const struct patchbay_cell *pb_set_cells(const struct patchbay_cell *cell,
					 size_t *nr)
{
	*nr = cell->set ? cell->set->nr : 1;
	return cell->set ? cell->set->cells : cell;
}

const struct patchbay_cell *pb_set_find(const struct patchbay_cell *cell,
					const struct patchbay_ops *ops)
{
	size_t nr;
	const struct patchbay_cell *cells = pb_set_cells(cell, &nr);

	for (size_t i = 0; i < nr; i++)
		if (cells[i].ops == ops)
			return &cells[i];
	return NULL;
}

struct pb_set *pb_set_new(const struct patchbay_cell *cell,
			  const struct patchbay_ops *gone, int more)
{
	size_t nr;
	const struct patchbay_cell *cells = pb_set_cells(cell, &nr);
	struct pb_set *set;

	set = malloc(sizeof(*set) + (nr + (size_t)more) * sizeof(*cells));
	if (!set)
		return NULL;
	set->retired = NULL;
	set->nr = 0;
	for (size_t i = 0; i < nr; i++) {
		if (cells[i].ops == gone)
			continue;
		set->cells[set->nr] = cells[i];
		set->cells[set->nr++].set = NULL;
	}
	return set;
}

/*
 * A member's own @enter says whether its handler is FAST, also for a cell that
 * was alone until now.
 */
patchbay_handler pb_set_enter(const struct pb_set *set)
{
	for (size_t i = 0; i < set->nr; i++)
		if (set->cells[i].enter == pb_arch_enter_any)
			return pb_arch_enter_set;
	return pb_set_call;
}
