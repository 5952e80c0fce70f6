/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tracer.h"

#include "call_state.h"
#include "set.h"

struct patchbay_ops *pb_tracers;
uint64_t pb_since;

void pb_begin_batch(void)
{
	pb_since = pb_call_next_number(pb_since);
}

size_t pb_tracer_count_armed(const struct patchbay_ops *ops)
{
	struct patchbay_cell *cell;
	struct pb_cell_walk walk;
	size_t nr = 0;

	for (struct pb_module *m = pb_modules; m; m = m->next)
		pb_for_each_cell_in(m, ops->cells, walk, cell)
			if (cell->ops && pb_set_find(cell, ops))
				nr += pb_cell_users(m, cell);
	return nr;
}
