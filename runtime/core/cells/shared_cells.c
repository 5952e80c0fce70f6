/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "types/shared_cells.h"

#include "cells/cell.h"
#include "names/name_index.h"
#include "system/linux.h"
#include "system/lock.h"
#include "system/memory.h"

#include <errno.h>

#define CELLS_SIZE ((size_t)PB_NR_SHARED * PB_SHARED_STEP)

static size_t map_size(const struct pb_module *module)
{
	return CELLS_SIZE + ((module->nr + CELLS_SIZE - 1) & -CELLS_SIZE);
}

/*
 * Initialize a cell that never changes: the empty cell, or the gate. Functions with any kind
 * of result use this cell. PATCHBAY_RECORD_RETURN_OTHER makes a call keep all result registers,
 * which is right for every function.
 */
static void init_fixed(struct pb_module *module, struct pb_shared_cell *fixed,
		       patchbay_handler enter)
{
	fixed->shape.flags = PATCHBAY_RECORD_RETURN_OTHER;
	fixed->cell = (struct patchbay_cell){ .enter = enter,
					      .func = enter,
					      .data = module,
					      .record = &fixed->shape };
}

int pb_shared_init(struct pb_module *module)
{
	struct pb_shared *shared;

	if (module->shared)
		return 0;
	pb_may_allocate();
	shared = pb_calloc(1, sizeof(*shared));
	if (!shared)
		return -ENOMEM;
	shared->cells = pb_os_map_zeroes(map_size(module), CELLS_SIZE);
	if (!shared->cells) {
		pb_free(shared);
		return -ENOMEM;
	}
	shared->owners = (uint8_t *)shared->cells + CELLS_SIZE;
	init_fixed(module, &shared->cells[PB_OWNER_NOBODY], pb_enter_nothing);
	init_fixed(module, &shared->cells[PB_OWNER_GATE], pb_arch_enter_gate);
	shared->end = PB_OWNER_FIRST;
	pb_engine_lock();
	module->shared = shared;
	pb_engine_unlock();
	return 0;
}

int pb_shared_init_gate(struct pb_module *module)
{
	struct patchbay_cell **own;
	int error;

	if (module->shared->own)
		return 0;
	pb_may_allocate();
	error = pb_record_order(module);
	if (error)
		return error;
	own = pb_calloc(module->nr, sizeof(struct patchbay_cell *));
	if (!own)
		return -ENOMEM;
	pb_engine_lock();
	module->shared->own = own;
	pb_engine_unlock();
	return 0;
}

void pb_shared_free(struct pb_module *module)
{
	struct pb_shared *shared = module->shared;

	if (!shared)
		return;
	module->shared = NULL;
	pb_os_unmap(shared->cells, map_size(module));
	pb_free(shared->own);
	pb_free(shared);
}

size_t pb_shared_size(const struct pb_module *module)
{
	const struct pb_shared *shared = module->shared;
	size_t size = sizeof(*shared) + shared->end * sizeof(*shared->cells) +
		      module->nr;

	if (shared->own)
		size += module->nr * sizeof(struct patchbay_cell *);
	return size;
}

static int is_free(const struct pb_shared_cell *cell)
{
	return !pb_shared_is_used(cell) && !cell->to;
}

struct pb_shared_cell *pb_shared_find_free(struct pb_module *module,
					   uint32_t shape)
{
	const uint8_t result = shape >> 24 & PATCHBAY_RECORD_RETURN_MASK;
	struct pb_shared *shared = module->shared;
	struct pb_shared_cell *cell;

	for (unsigned int i = PB_OWNER_FIRST; i < shared->end; i++)
		if (is_free(&shared->cells[i]) &&
		    shared->cells[i].result == result)
			return &shared->cells[i];
	if (shared->end == PB_NR_SHARED)
		return NULL;
	/* A thread may walk the cells under the engine lock, without the change lock. */
	pb_engine_lock();
	cell = &shared->cells[shared->end++];
	cell->result = result;
	pb_engine_unlock();
	return cell;
}

unsigned int pb_shared_count_free(const struct pb_module *module)
{
	const struct pb_shared *shared = module->shared;
	unsigned int nr = PB_NR_SHARED - shared->end;

	for (unsigned int i = PB_OWNER_FIRST; i < shared->end; i++)
		nr += is_free(&shared->cells[i]);
	return nr;
}

void pb_shared_take(struct pb_shared_cell *cell, uint32_t shape)
{
	if (cell->nr)
		return;
	cell->shape = (struct patchbay_record){
		.gp_args = (uint8_t)shape,
		.fp_args = (uint8_t)(shape >> 8),
		.stack_arg_words = (uint8_t)(shape >> 16),
		.flags = (uint8_t)(shape >> 24),
	};
	cell->cell.record = &cell->shape;
}
