/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The layer types/: data and states that several layers share. The registry's data are read
 * under the modules lock or the engine lock, and changed under both (system/lock.h). Calls
 * read cells, sets and states without a lock.
 *
 * Shared cells: functions of a module with the same tracers, the same data and the same
 * shape have one cell. The shape is the description of arguments and result in a record;
 * handlers read nothing else of the record. Functions with per-function data, and small groups
 * of functions, have private cells (cell.h). The library changes a private cell in place, so
 * a slot that points to one never changes.
 *
 * The slot of a function with a shared cell does change, if only some of the cell's
 * functions get other tracers. Trampolines may read the slot at that time, by one load of
 * eight bytes. The kernel writes by memcpy(), which does not guarantee a single store.
 * So, once a thread may have read a slot, its old and new values differ in one byte only:
 * shared cells are 256 bytes apart, in memory that begins at a multiple of 64 KB. A
 * thread that reads during the write gets the old cell or the new one: a store of one
 * byte is atomic on each architecture (Intel SDM vol. 3A, 10.1.1 "Guaranteed Atomic
 * Operations"; AMD APM vol. 2, 7.3.2; Arm ARM, DDI 0487, B2.2.1 "Requirements for
 * single-copy atomicity"; Power ISA 3.1, book II, 1.4 "Single-Copy Atomicity"), and the
 * other seven bytes keep their values.
 *
 * A function with such a slot may later need a private cell, for per-function data, or
 * because no shared cell is free. Its slot then points to the gate, a shared cell that looks
 * up the private cell by the function's address. So the slot points into these 64 KB until
 * the module is unloaded.
 *
 * A thread marks itself as inside before it loads the slot (quiesce.h), and may still be in
 * the old cell after the slot has changed. So when some functions have left a cell, the
 * cell gets other tracers only after all threads that were inside at that time are
 * outside. This holds whether other functions still share the cell or it is reused. A cell
 * always serves functions with the same kind of result: on x86-64 a thread that returns from a
 * body reads this kind before it sets the mark, to know which registers to keep.
 */
#pragma once

#include "types/module.h"
#include "types/set.h"

struct pb_group;

#define PB_SHARED_STEP 256
#define PB_NR_SHARED 256

/* The owner of a function: the number of the shared cell that its slot points to, or: */
enum {
	PB_OWNER_NONE,	 /* no shared cell: the slot is 0 or points to a private cell */
	PB_OWNER_NOBODY, /* the cell without tracers: disarmed, while others kept the shared cell */
	PB_OWNER_GATE,	 /* the gate */
	PB_OWNER_FIRST,	 /* the first shared cell */
};

/*
 * @cell:        its record is @shape
 * @shape:       the common record of all its functions; fields that differ are 0
 * @nr:          the number of functions whose slots point to the cell, armed or not
 * @left:        functions have left the cell, and a thread that loaded the slot of one of
 *               them may still be inside
 * @result:      the kind of result of @shape, which never changes
 *
 * While a plan is made (place.c):
 * @leaving:     the number of its functions that get other tracers or none
 * @to:          the group that these functions join; NULL: they get no tracers
 * @scattered:   these functions join different groups
 */
struct pb_shared_cell {
	struct patchbay_cell cell;
	struct patchbay_record shape;
	uint32_t nr;
	uint8_t left, result, scattered;
	uint32_t leaving;
	struct pb_group *to;
} __attribute__((aligned(PB_SHARED_STEP)));

PATCHBAY_STATIC_ASSERT(sizeof(struct pb_shared_cell) == PB_SHARED_STEP);

/*
 * The shared cells of a module, allocated when functions first share a cell.
 *
 * The library records the owner of each function and does not derive it from the slot,
 * because another patcher may change slots.
 * @cells:  PB_NR_SHARED cells; the first @end of them have been used
 * @own:    NULL, or the private cells that the gate enters, by record
 * @owners: the PB_OWNER_* of each function, by record. Pages are allocated on first use
 */
struct pb_shared {
	struct pb_shared_cell *cells;
	struct patchbay_cell **own;
	uint8_t *owners;
	unsigned int end;
};

/*
 * Allocate the shared cells of @module, or the table of private cells for its gate, unless
 * the module has them. Not under the engine lock. Returns 0 or -ENOMEM.
 */
int pb_shared_init(struct pb_module *module);
int pb_shared_init_gate(struct pb_module *module);

/* Free the shared cells of @module and the tables, but not the sets of the cells. */
void pb_shared_free(struct pb_module *module);

/* The bytes of memory in use, without pages that were never touched. */
size_t pb_shared_size(const struct pb_module *module);

static inline size_t pb_record_index(const struct pb_module *module,
				     const struct patchbay_record *record)
{
	return (size_t)(record - module->records);
}

/* The fields of a record that handlers may read: equal for functions that share a cell. */
static inline uint32_t pb_shape(const struct patchbay_record *record)
{
	return (uint32_t)record->gp_args | (uint32_t)record->fp_args << 8 |
	       (uint32_t)record->stack_arg_words << 16 |
	       (uint32_t)record->flags << 24;
}

static inline unsigned int pb_owner(const struct pb_module *module, size_t i)
{
	return module->shared ? module->shared->owners[i] : PB_OWNER_NONE;
}

static inline uintptr_t pb_owner_slot(const struct pb_module *module,
				      unsigned int owner)
{
	return (uintptr_t)&module->shared->cells[owner];
}

/* The shared cell that contains @cell, or NULL if @cell is private. */
static inline struct pb_shared_cell *
pb_shared_of(const struct pb_module *module, const struct patchbay_cell *cell)
{
	const struct pb_shared *shared = module->shared;
	uintptr_t offset = (uintptr_t)cell - (uintptr_t)(shared ? shared->cells : 0);

	return shared && offset < PB_NR_SHARED * PB_SHARED_STEP ?
		       (struct pb_shared_cell *)cell :
		       NULL;
}

static inline unsigned int pb_shared_number(const struct pb_module *module,
					    const struct pb_shared_cell *cell)
{
	return (unsigned int)(cell - module->shared->cells);
}

/*
 * Returns a cell for functions with @shape, or NULL if none is free. No slot points to it
 * and no thread is inside it. The caller calls pb_shared_take(), then fills it.
 */
struct pb_shared_cell *pb_shared_find_free(struct pb_module *module,
					   uint32_t shape);
unsigned int pb_shared_count_free(const struct pb_module *module);

/*
 * Under the engine lock: record that function @i uses @owner, and update the counts of the
 * old owner and the new one.
 */
static inline void pb_owner_set(struct pb_module *module, size_t i, unsigned int owner)
{
	struct pb_shared *shared = module->shared;
	const unsigned int before = pb_owner(module, i);

	if (before == owner)
		return;
	shared->owners[i] = (uint8_t)owner;
	if (before >= PB_OWNER_FIRST) {
		shared->cells[before].nr--;
		shared->cells[before].left = 1;
	}
	if (owner >= PB_OWNER_FIRST)
		shared->cells[owner].nr++;
}

/* Do functions use @cell, or may threads be inside it? */
static inline int pb_shared_is_used(const struct pb_shared_cell *cell)
{
	return cell->nr || cell->left || cell->cell.ops;
}

/*
 * Under the engine lock: prepare @cell for functions with @shape. The caller fills it with
 * their tracers.
 */
void pb_shared_take(struct pb_shared_cell *cell, uint32_t shape);

/*
 * Does @cell have tracers, although all its functions have left it for other cells? The cell
 * keeps its tracers until no thread is inside: the functions may still have some of these.
 */
static inline int pb_shared_is_abandoned(const struct pb_shared_cell *cell)
{
	return !cell->nr && cell->cell.ops && cell->cell.set != &pb_set_nobody;
}
