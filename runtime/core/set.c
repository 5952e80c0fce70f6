/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "set.h"

#include "arch.h"
#include "engine.h"
#include "enter.h"

#include <stdlib.h>
#include <string.h>

const struct pb_set pb_set_nobody = {
	.nr = 1,
	.fast = 1,
	.cells = { { .func = pb_enter_nothing } },
};

struct patchbay_cell pb_ops_cell(struct patchbay_ops *ops,
				 const struct patchbay_record *record,
				 void *data)
{
	const struct patchbay_ops_attr *attr = &ops->attr;

	return (struct patchbay_cell){
		.enter = attr->flags & PATCHBAY_OPS_FAST ? attr->handler :
							   pb_arch_enter_any,
		.func = ops->disabled ? pb_enter_nothing : attr->handler,
		.data = data,
		.record = record,
		.ops = ops,
	};
}

const struct patchbay_cell *pb_set_cells(const struct patchbay_cell *cell,
					 size_t *nr)
{
	if (cell->set == &pb_set_nobody)
		*nr = 0;
	else
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

struct pb_set *pb_set_new(const struct patchbay_cell *cells, size_t nr)
{
	struct pb_set *set = malloc(sizeof(*set) + nr * sizeof(*cells));

	if (!set)
		return NULL;
	set->retired = NULL;
	set->nr = nr;
	set->fast = 1;
	memcpy(set->cells, cells, nr * sizeof(*cells));
	for (size_t i = 0; i < nr; i++)
		if (!(cells[i].ops->attr.flags & PATCHBAY_OPS_FAST))
			set->fast = 0;
	return set;
}

void pb_set_free(struct pb_set *set)
{
	if (set != &pb_set_nobody)
		free(set);
}

void pb_set_data(struct pb_set *set, const struct patchbay_ops *ops,
		 void *data)
{
	for (size_t i = 0; i < set->nr; i++)
		if (set->cells[i].ops == ops)
			set->cells[i].data = data;
}

patchbay_handler pb_set_enter(const struct pb_set *set)
{
	return set->fast ? pb_set_call_fast : pb_arch_enter_set;
}
