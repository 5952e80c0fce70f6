/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cells/cell.h"

#include "arch/arch.h"
#include "system/lock.h"
#include "system/memory.h"
#include "types/call.h"
#include "types/set.h"
#include "types/shared_cells.h"

#include <errno.h>
#include <string.h>

/* One cache line per cell: different cores write cells of different functions. */
#define CELL_SIZE 64
#define CHUNK_MIN 63

_Static_assert(sizeof(struct patchbay_cell) <= CELL_SIZE, "cell outgrew line");
_Static_assert((CHUNK_MIN + 1) * CELL_SIZE >= PB_MEMORY_LARGE, "cells are not aligned");

struct pb_cell_chunk {
	struct pb_cell_chunk *next;
	size_t nr, taken;
	_Alignas(CELL_SIZE) unsigned char cells[][CELL_SIZE];
};

struct pb_module *pb_modules;
struct pb_other *pb_others;
uint64_t pb_since;

int pb_cells_reserve(struct pb_module *module, size_t nr)
{
	struct pb_cell_chunk *chunk = module->cells;
	size_t size;

	if (chunk && chunk->nr - chunk->taken >= nr)
		return 0;
	/* Double the size: own_cell_at() walks the list of chunks, which must stay short. */
	if (nr < module->nr_cells)
		nr = module->nr_cells;
	if (nr < CHUNK_MIN)
		nr = CHUNK_MIN;
	size = sizeof(*chunk) + nr * CELL_SIZE;
	pb_may_allocate();
	chunk = pb_malloc(size);
	if (!chunk)
		return -ENOMEM;
	chunk->next = module->cells;
	chunk->nr = nr;
	chunk->taken = 0;
	pb_engine_lock();
	module->cells = chunk;
	module->nr_cells += nr;
	pb_engine_unlock();
	return 0;
}

struct patchbay_cell *pb_cell_take(struct pb_module *module)
{
	struct pb_cell_chunk *chunk = module->cells;

	return memset(chunk->cells[chunk->taken++], 0, CELL_SIZE);
}

void pb_cell_give_back(struct pb_module *module, struct patchbay_cell *cell)
{
	struct pb_cell_chunk *chunk = module->cells;

	if (chunk->taken &&
	    (void *)cell == chunk->cells[chunk->taken - 1])
		chunk->taken--;
}

/* The private cell that @slot points to, or NULL. */
static struct patchbay_cell *own_cell_at(const struct pb_module *module,
					 uintptr_t slot)
{
	const struct pb_cell_chunk *chunk;

	for (chunk = module->cells; slot && chunk; chunk = chunk->next) {
		uintptr_t offset = slot - (uintptr_t)chunk->cells;

		if (offset < chunk->taken * CELL_SIZE && !(offset % CELL_SIZE))
			return (struct patchbay_cell *)slot;
	}
	return NULL;
}

int pb_is_cell(const struct pb_module *module, uintptr_t slot)
{
	return own_cell_at(module, slot) ||
	       pb_shared_of(module, (const struct patchbay_cell *)slot);
}

struct patchbay_cell *pb_cell_of(const struct pb_module *module,
				 const struct patchbay_record *record)
{
	const size_t i = pb_record_index(module, record);
	const unsigned int owner = pb_owner(module, i);
	const uintptr_t entry = pb_record_entry(record);
	struct patchbay_cell *cell = NULL;

	if (owner == PB_OWNER_GATE)
		return module->shared->own[i];
	if (owner >= PB_OWNER_FIRST)
		return &module->shared->cells[owner].cell;
	if (owner == PB_OWNER_NONE && pb_has_slot(module, entry))
		cell = own_cell_at(module, pb_arch_slot(entry));
	return cell && cell->record == record ? cell : NULL;
}

int pb_is_led(const struct pb_module *module,
	      const struct patchbay_record *record)
{
	const unsigned int owner =
		pb_owner(module, pb_record_index(module, record));
	const uintptr_t entry = pb_record_entry(record);

	if (owner == PB_OWNER_NONE)
		return pb_cell_of(module, record) != NULL;
	return pb_has_slot(module, entry) &&
			       pb_arch_slot(entry) ==
				       pb_owner_slot(module, owner) ?
		       1 :
		       -EILSEQ;
}

size_t pb_cell_users(const struct pb_module *module,
		     const struct patchbay_cell *cell)
{
	const struct pb_shared_cell *shared = pb_shared_of(module, cell);

	return shared ? shared->nr : 1;
}

size_t pb_cells_count_armed(const struct patchbay_ops *ops)
{
	struct patchbay_cell *cell;
	struct pb_cell_walk walk;
	size_t nr = 0;

	for (struct pb_module *m = pb_modules; m; m = m->next)
		pb_for_each_cell_in(m, ops->cells, walk, cell)
			if (pb_set_find(cell, ops))
				nr += pb_cell_users(m, cell);
	return nr;
}

/* Go to the first chunk, from @chunk on, with cells in the walk's range. */
static void enter_chunk(struct pb_cell_walk *walk, struct pb_cell_chunk *chunk)
{
	for (; chunk; chunk = chunk->next) {
		const uintptr_t low = (uintptr_t)chunk->cells;
		const uintptr_t high = low + chunk->taken * CELL_SIZE;
		const struct pb_cell_range *range = &walk->range;

		if (range->first >= high || range->last < low)
			continue;
		walk->next = range->first > low ?
				     (range->first - low) / CELL_SIZE :
				     0;
		walk->end = range->last < high ?
				    (range->last - low) / CELL_SIZE + 1 :
				    chunk->taken;
		break;
	}
	walk->chunk = chunk;
}

struct pb_cell_walk pb_cell_walk_start(const struct pb_module *module,
				       struct pb_cell_range range)
{
	struct pb_cell_walk walk = { .module = module,
				     .shared = PB_OWNER_FIRST,
				     .range = range };

	if (!module->shared || range.first > range.last)
		walk.shared = PB_NR_SHARED;
	enter_chunk(&walk, range.first <= range.last ? module->cells : NULL);
	return walk;
}

struct patchbay_cell *pb_cell_next(struct pb_cell_walk *walk)
{
	const struct pb_shared *shared = walk->module->shared;

	while (walk->shared < PB_NR_SHARED && walk->shared < shared->end) {
		struct pb_shared_cell *cell = &shared->cells[walk->shared++];

		if (pb_shared_is_used(cell))
			return &cell->cell;
	}
	if (walk->chunk && walk->next == walk->end)
		enter_chunk(walk, walk->chunk->next);
	return walk->chunk ? (void *)walk->chunk->cells[walk->next++] : NULL;
}

static enum pb_call_state direct_way(const struct patchbay_cell *cell)
{
	if (cell->func == pb_enter_nothing)
		return PB_CALL_EXIT;
	if (cell->func == pb_timed_entry)
		return PB_CALL_TIMED;
	if (cell->exit == patchbay_no_exit)
		return PB_CALL_ANSWER;
	return PB_CALL_BOTH;
}

void pb_cell_enter_by(struct patchbay_cell *cell, patchbay_handler enter)
{
	const enum pb_call_state state = enter == pb_arch_call_fast ?
						 direct_way(cell) :
						 PB_CALL_GENERAL;

	__atomic_store_n(&cell->since, pb_call_since_by(cell->since, state),
			 __ATOMIC_RELEASE);
	__atomic_store_n(&cell->enter, enter, __ATOMIC_RELEASE);
}

void pb_cell_enter_set(struct patchbay_cell *cell, const struct pb_set *set)
{
	const uint64_t since = pb_call_since_with(cell->since, set->since);

	__atomic_store_n(&cell->set, set, __ATOMIC_RELEASE);
	__atomic_store_n(&cell->since, since, __ATOMIC_RELEASE);
	__atomic_store_n(&cell->enter, set->enter, __ATOMIC_RELEASE);
}

int pb_cell_has_set(const struct patchbay_cell *cell)
{
	return cell->set && cell->enter == cell->set->enter;
}

int pb_may_be_inside(const struct pb_module *module, const struct patchbay_cell *cell,
		     const struct patchbay_ops *ops)
{
	return cell && cell->set && cell->ops == ops && module->unsettled &&
	       !pb_set_find(cell, ops);
}

void pb_cells_redirect(struct pb_module *module, patchbay_handler enter)
{
	struct patchbay_cell *cell;
	struct pb_cell_walk walk;

	pb_for_each_cell(module, walk, cell)
		pb_cell_enter_by(cell, enter);
	if (module->shared)
		pb_cell_enter_by(&module->shared->cells[PB_OWNER_GATE].cell,
				 enter);
}

void pb_cells_weigh(const struct pb_module *module, uint64_t *armed,
		    uint64_t *memory)
{
	const struct pb_cell_chunk *chunk;
	const struct patchbay_cell *cell;
	struct pb_cell_walk walk;

	for (chunk = module->cells; chunk; chunk = chunk->next)
		*memory += sizeof(*chunk) + chunk->nr * CELL_SIZE;
	if (module->shared)
		*memory += pb_shared_size(module);
	pb_for_each_cell(module, walk, cell) {
		size_t nr;

		if (!cell->ops)
			continue;
		pb_set_cells(cell, &nr);
		if (nr)
			*armed += pb_cell_users(module, cell);
		if (nr && cell->set)
			*memory += pb_set_size(nr);
	}
}

void pb_cells_free(struct pb_module *module)
{
	struct pb_cell_chunk *chunk = module->cells;
	struct patchbay_cell *cell;
	struct pb_cell_walk walk;

	pb_for_each_cell(module, walk, cell)
		pb_set_free((struct pb_set *)cell->set);
	while (chunk) {
		struct pb_cell_chunk *next = chunk->next;

		pb_free(chunk);
		chunk = next;
	}
	module->cells = NULL;
	module->nr_cells = 0;
	pb_shared_free(module);
}
