/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Cells that functions of a module share: one for all that have the same tracers
 * with the same data, and the same shape (what a record says of arguments and
 * result, which is all that handlers read of it). Functions with data of their
 * own, and those that are few, have a cell each (cell.h), which is changed in
 * place; then a slot never changes once it was filled.
 *
 * The slot of a function with a shared cell does change, when some of those who
 * shared it come to have other tracers, while calls and exits read it. Reading is
 * one load of eight bytes, but writing is the kernel's memcpy(), of which nobody
 * promises that it stores them at once. So all that a slot may be changed from
 * and to, after a thread could first have read it, differs in one byte: shared
 * cells are 256 bytes apart, in memory that begins at a multiple of 64 KB. Then
 * whatever a thread reads in the middle of the write is the old cell or the new
 * one, because a store of one byte is atomic on each architecture (Intel SDM vol.
 * 3A, 10.1.1 "Guaranteed Atomic Operations"; AMD APM vol. 2, 7.3.2; Arm ARM, DDI
 * 0487, B2.2.1 "Requirements for single-copy atomicity"; Power ISA 3.1, book II,
 * 1.4 "Single-Copy Atomicity"), and the other seven keep their values.
 *
 * Whoever has to have another cell than these, because its data are its own or
 * because there are no more of them, is led there by a gate: a shared cell that
 * looks up the function's own cell by the function's address. So a slot stays in
 * these 64 KB until the module goes.
 *
 * A thread acts upon a cell only if it is marked as inside before it loads the
 * slot (quiesce.h). Then it may be in the cell although the slot leads to another by
 * now. So a cell that some functions have left gets no other tracers, whether others
 * still share it or it is given to others, before all are outside that were inside
 * when it was left. Only what kind of result its functions have stays: on x86-64 who
 * returns from a body looks at that before the mark, to know which registers to keep.
 */
#ifndef PB_CORE_SHARED_H
#define PB_CORE_SHARED_H

#include "choice.h"
#include "gate.h"
#include "module.h"
#include "set.h"

struct pb_group;

#define PB_SHARED_STEP 256
#define PB_NR_SHARED 256

/*
 * Where the slot of a function leads: the number of a shared cell from
 * PB_OWNER_FIRST on, or one of these.
 *
 * PB_OWNER_NONE    to no shared cell: it is 0, or leads to a cell of its own
 * PB_OWNER_NOBODY  to a cell without tracers, that of all who were disarmed while
 *                  others went on with what they had shared
 * PB_OWNER_GATE    to the gate
 */
enum { PB_OWNER_NONE, PB_OWNER_NOBODY, PB_OWNER_GATE, PB_OWNER_FIRST };

/*
 * @cell:        its record is @shape
 * @shape:       the record of all its functions, but for what is not the same: 0
 * @nr:          how many functions' slots lead here, armed or not
 * @first, @last: they are among the records from here to there
 * @used:        it is somebody's, or threads may be inside of it
 * @left:        slots have led here that do not any more, and a thread may have
 *               loaded one of them before
 * @abandoned:   all functions have left it for others; its tracers are to go, too
 * @result:      of @shape: this is what it keeps
 * @usual:       it is the usual cell of its shape, as is @next of another
 *
 * While a plan is made (place.c):
 * @leaving:     how many of them come to have other tracers, or none
 * @to:          the group that all of these come to; NULL: have none
 * @scattered:   they come to different ones
 */
struct pb_shared_cell {
	struct patchbay_cell cell;
	struct patchbay_record shape;
	uint32_t nr, first, last;
	uint8_t used, left, abandoned, result, scattered, usual, next;
	uint32_t leaving;
	struct pb_group *to;
} __attribute__((aligned(PB_SHARED_STEP)));

PATCHBAY_STATIC_ASSERT(sizeof(struct pb_shared_cell) == PB_SHARED_STEP);

#define PB_NR_USUAL 64

/*
 * What a module has once some of its functions share cells.
 *
 * Who owns which function is written down, not only read from slots: another patcher
 * may change those. Mostly all functions that are armed have the same tracers, and who
 * owns them follows from their shapes: then a bit for each is all there is.
 * @cells:  PB_NR_SHARED of them, of which @end have been used
 * @own:    NULL, or by record the cells of functions that a gate leads to
 * @usual:  these functions lead to the usual cell of their shape
 * @owners: of the others, by record: PB_OWNER_*. It is memory only once it is touched,
 *          and is not looked at unless @other: somebody leads elsewhere, or did
 * @by_shape: lists of usual cells, by a hash of their shapes: the first of each; 0: none
 */
struct pb_shared {
	struct pb_shared_cell *cells;
	struct patchbay_cell **own;
	struct pb_choice usual;
	uint8_t *owners;
	unsigned int end, other;
	uint8_t by_shape[PB_NR_USUAL];
};

/*
 * Give @module its shared cells, or the table of a gate, if it has none yet. Not
 * under the engine lock. Returns 0 or -ENOMEM.
 */
int pb_shared_init(struct pb_module *module);
int pb_shared_init_gate(struct pb_module *module);

/* Free it all, but for the sets of its cells. */
void pb_shared_free(struct pb_module *module);

/* How much memory it takes: what was not touched does not count. */
size_t pb_shared_size(const struct pb_module *module);

static inline size_t pb_record_index(const struct pb_module *module,
				     const struct patchbay_record *record)
{
	return (size_t)(record - module->records);
}

/* What handlers may know of a record: functions that share a cell agree in it. */
static inline uint32_t pb_shape(const struct patchbay_record *record)
{
	return (uint32_t)record->gp_args | (uint32_t)record->fp_args << 8 |
	       (uint32_t)record->stack_arg_words << 16 |
	       (uint32_t)record->flags << 24;
}

/* The number of the usual cell of @shape; 0: there is none. */
unsigned int pb_usual_cell(const struct pb_shared *shared, uint32_t shape);

static inline unsigned int pb_owner(const struct pb_module *module, size_t i)
{
	const struct pb_shared *shared = module->shared;
	unsigned int owner;

	if (!shared)
		return PB_OWNER_NONE;
	if (pb_choice_has(&shared->usual, i)) {
		owner = pb_usual_cell(shared, pb_shape(&module->records[i]));
		/* Somebody has written to the record. */
		return owner ? owner : PB_OWNER_NOBODY;
	}
	return shared->other ? shared->owners[i] : PB_OWNER_NONE;
}

static inline uintptr_t pb_owner_slot(const struct pb_module *module,
				      unsigned int owner)
{
	return (uintptr_t)&module->shared->cells[owner];
}

/*
 * Where do functions end, at @end at the latest, that have the same owner as @i? Or, for
 * who looks at shapes himself, which have it if they have the shape of @i, too?
 */
size_t pb_owner_row_end(const struct pb_module *module, size_t i, size_t end);
size_t pb_owner_shapes_end(const struct pb_module *module, size_t i, size_t end);

/* The cell that @cell of @module is, or NULL: it is one function's own. */
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
 * A cell for functions with @shape that no slot leads to and nobody is inside of.
 * It is taken when it has been filled. NULL: there is none.
 */
struct pb_shared_cell *pb_shared_find_free(struct pb_module *module,
					   uint32_t shape);
unsigned int pb_shared_count_free(const struct pb_module *module);

/*
 * Under the engine lock: function @i leads to @owner by now. How many lead to
 * where it did before is one less.
 */
void pb_owner_set(struct pb_module *module, size_t i, unsigned int owner);

/*
 * Under the engine lock: functions from @i to below @end, which have the same shape,
 * lead to @owner by now. How many do is for the caller to write down.
 */
void pb_owner_set_row(struct pb_module *module, size_t i, size_t end,
		      unsigned int owner);

/*
 * Under the engine lock: @nr more functions, among the records from @first to @last,
 * lead to @cell. Which they are is for the caller to write down.
 */
void pb_shared_join(struct pb_shared_cell *cell, size_t nr, size_t first,
		    size_t last);

/*
 * Under the engine lock: who is to have @cell has @shape. If nobody leads to a usual
 * cell of this shape, it is the usual one from now on.
 */
void pb_shared_take(struct pb_module *module, struct pb_shared_cell *cell,
		    uint32_t shape);

/* Does no slot lead to @cell, which has tracers? */
static inline int pb_shared_is_abandoned(const struct pb_shared_cell *cell)
{
	return !cell->nr && cell->cell.ops && cell->cell.set != &pb_set_nobody;
}

/*
 * Under the engine lock: nobody is inside any more who found it by a slot that leads
 * elsewhere now. If it is nobody's it is free.
 */
void pb_shared_settle(struct pb_shared_cell *cell);

#endif /* PB_CORE_SHARED_H */
