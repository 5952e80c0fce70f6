/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "change/place.h"

#include "cells/cell.h"
#include "change/settle.h"
#include "system/lock.h"
#include "system/memory.h"
#include "types/tracer.h"

#include <errno.h>

/* Shared cells in reserve: only groups of at least PB_GROUP_MIN functions get these. */
#define SPARE 64

#define NR_CHAINS 256

/* The groups of one module, while find_groups() collects them. */
struct grouping {
	struct pb_plan *plan;
	struct pb_group *last; /* the group of the previous target */
	struct pb_group *chains[NR_CHAINS];
};

/*
 * May two functions with the tracers @a and @b share a cell? The tracers and their data must be
 * the same. A tracer with an exit must have been armed by the same batch on both functions, and
 * have the same word in their calls: the exit of a call uses batch and word to tell whether the
 * tracer saw the entry (call.h).
 */
static int same_tracers(const struct patchbay_cell *a, size_t nr_a,
			const struct patchbay_cell *b, size_t nr_b)
{
	const uint64_t arming = PATCHBAY_CELL_SINCE | PATCHBAY_CELL_WORD;

	if (nr_a != nr_b)
		return 0;
	for (size_t i = 0; i < nr_a; i++)
		if (a[i].ops != b[i].ops || a[i].data != b[i].data ||
		    (a[i].since ^ b[i].since) & arming)
			return 0;
	return 1;
}

struct patchbay_cell pb_target_tracer(const struct pb_target *t)
{
	while (!t->arms)
		t++;
	return pb_ops_cell(t->request->ops, t->record, t->data, pb_since);
}

/* The new tracers of a target. @one is storage for a single tracer. */
static const struct patchbay_cell *tracers_of(const struct pb_target *t,
					      struct patchbay_cell *one,
					      size_t *nr)
{
	*nr = t->set ? t->set->nr : 1;
	if (t->set)
		return t->set->cells;
	*one = pb_target_tracer(t);
	return one;
}

static unsigned int hash_of(const struct patchbay_cell *cells, size_t nr,
			    uint32_t shape)
{
	uint64_t hash = shape;

	for (size_t i = 0; i < nr; i++)
		hash = (hash ^ (uintptr_t)cells[i].ops ^
			(uintptr_t)cells[i].data ^ cells[i].since) *
		       0x9e3779b97f4a7c15u;
	return hash >> 56;
}

static int is_group_of(const struct pb_group *g,
		       const struct patchbay_cell *cells, size_t nr,
		       uint32_t shape)
{
	return g->shape == shape &&
	       same_tracers(g->set ? g->set->cells : &g->one, g->set ? g->set->nr : 1, cells,
			    nr);
}

static unsigned int owner_of(const struct pb_target *t)
{
	return pb_owner(t->module, pb_record_index(t->module, t->record));
}

/*
 * A function whose tracer has per-function data needs a private cell. A function that
 * already has one keeps it: a slot never changes from a private to a shared cell.
 */
static int may_share(const struct pb_target *t)
{
	if (t->step != PB_STEP_ARM && t->step != PB_STEP_SWAP)
		return 0;
	for (uint32_t i = 0; i < t->nr; i++)
		if (t[i].arms && t[i].request->own_data)
			return 0;
	return !t->cell || pb_shared_of(t->module, t->cell) ||
	       (t->step == PB_STEP_ARM && owner_of(t) != PB_OWNER_NONE);
}

static struct pb_group *find_group(struct grouping *grouping,
				   struct pb_target *t)
{
	struct patchbay_cell one;
	size_t nr;
	const struct patchbay_cell *cells = tracers_of(t, &one, &nr);
	const uint32_t shape = pb_shape(t->record);
	struct pb_group *g = grouping->last, **chain;

	if (g && is_group_of(g, cells, nr, shape))
		return g;
	chain = &grouping->chains[hash_of(cells, nr, shape)];
	for (g = *chain; g && !is_group_of(g, cells, nr, shape); g = g->chain)
		;
	if (g)
		return g;
	g = pb_malloc(sizeof(*g));
	if (!g)
		return NULL;
	*g = (struct pb_group){ .next = grouping->plan->groups,
				.chain = *chain,
				.module = t->module,
				.shape = shape,
				.set = t->set };
	if (!t->set)
		g->one = one;
	grouping->plan->groups = *chain = g;
	return g;
}

static int find_groups(struct grouping *grouping, size_t start, size_t end)
{
	for (size_t i = start; i < end; i++) {
		struct pb_target *t = &grouping->plan->targets[i];
		struct pb_shared_cell *from;

		if (t->step == PB_STEP_NONE)
			continue;
		if (may_share(t)) {
			t->group = grouping->last = find_group(grouping, t);
			if (!t->group)
				return -ENOMEM;
			t->group->nr++;
			t->group->led |= owner_of(t) != PB_OWNER_NONE;
		}
		from = pb_shared_of(t->module, t->cell);
		if (from)
			pb_group_leave(from, t->group, 1);
	}
	return 0;
}

/* Has the cell no tracers, and is no thread inside it? */
static int is_empty(const struct pb_shared_cell *cell)
{
	return !cell->cell.ops;
}

/*
 * Find a cell that only functions of @g have. A cell with tracers must have all functions of
 * @g: a cell in use gets its new tracers last, so no other function may join before that.
 * Skip a cell that a function has left, if a thread may still be in a call of that function.
 */
static struct pb_shared_cell *find_own(const struct pb_group *g)
{
	const struct pb_shared *shared = g->module->shared;
	struct pb_shared_cell *best = NULL;

	for (unsigned int i = PB_OWNER_FIRST; i < shared->end; i++) {
		struct pb_shared_cell *cell = &shared->cells[i];

		if (cell->to == g && !cell->scattered && cell->nr && !cell->left &&
		    cell->leaving == cell->nr &&
		    (is_empty(cell) || cell->nr == g->nr) &&
		    (!best || best->nr < cell->nr))
			best = cell;
	}
	return best;
}

/* Find a cell that has the tracers of @g, and that no function leaves. */
static struct pb_shared_cell *find_equal(const struct pb_group *g)
{
	const struct pb_shared *shared = g->module->shared;

	for (unsigned int i = PB_OWNER_FIRST; i < shared->end; i++) {
		struct pb_shared_cell *cell = &shared->cells[i];
		const struct patchbay_cell *tracers;
		size_t nr;

		if (is_empty(cell) || cell->leaving || !cell->nr)
			continue;
		tracers = pb_set_cells(&cell->cell, &nr);
		if (nr && is_group_of(g, tracers, nr, pb_shape(&cell->shape)))
			return cell;
	}
	return NULL;
}

void pb_group_find_cell(struct pb_group *g, int join)
{
	struct pb_module *module = g->module;

	g->cell = find_own(g);
	if (!g->cell && join) {
		g->cell = find_equal(g);
		g->joins = g->cell != NULL;
	}
	if (g->cell)
		return;
	if (g->nr >= PB_GROUP_MIN || pb_shared_count_free(module) > SPARE)
		g->cell = pb_shared_find_free(module, g->shape);
	if (g->cell)
		g->cell->to = g;
}

int pb_groups_fit(const struct pb_module *module, unsigned int nr)
{
	return module->shared->end + nr + SPARE < PB_NR_SHARED;
}

void pb_groups_begin(struct pb_module *module)
{
	struct pb_shared *shared = module->shared;

	for (unsigned int i = PB_OWNER_FIRST; shared && i < shared->end; i++) {
		shared->cells[i].leaving = 0;
		shared->cells[i].scattered = 0;
		shared->cells[i].to = NULL;
	}
}

/*
 * Choose the cell that the slot of @t will point to. Adds the number of private cells to
 * allocate to *@own.
 */
static int place_target(struct pb_plan *plan, struct pb_target *t, size_t *own)
{
	struct pb_module *module = t->module;
	const unsigned int owner = owner_of(t);
	const struct pb_shared_cell *from = pb_shared_of(module, t->cell);

	t->owner = (uint8_t)owner;
	if (t->group) {
		t->owner = (uint8_t)pb_shared_number(module, t->group->cell);
	} else if (t->step == PB_STEP_DISARM) {
		/* If all functions of the cell lose their tracers, empty the cell itself. */
		if (from && (from->leaving != from->nr || from->to || from->scattered))
			t->owner = PB_OWNER_NOBODY;
	} else if (owner == PB_OWNER_NONE) {
		*own += !t->cell;
	} else {
		int error = pb_shared_init_gate(module);

		if (error)
			return error;
		t->owner = PB_OWNER_GATE;
		t->cell = module->shared->own[pb_record_index(module, t->record)];
		*own += !t->cell;
	}
	t->moves = t->step != PB_STEP_ARM && t->owner != owner;
	plan->moves |= t->moves;
	return 0;
}

/* Give the set of @t to its group. If the group has no shared cell, @t keeps its set. */
static void share_set(struct pb_target *t)
{
	struct pb_group *g = t->group;

	if (!g->cell) {
		t->group = NULL;
		return;
	}
	if (g->set == t->set)
		g->owns = 1;
	else
		pb_free(t->set);
	t->set = NULL;
}

static int place_module(struct pb_plan *plan, size_t start, size_t end)
{
	struct pb_module *module = plan->targets[start].module;
	struct grouping *grouping = pb_calloc(1, sizeof(*grouping));
	size_t own = 0;
	int error;

	if (!grouping)
		return -ENOMEM;
	grouping->plan = plan;
	pb_groups_begin(module);
	error = find_groups(grouping, start, end);
	for (struct pb_group *g = plan->groups;
	     g && g->module == module && !error; g = g->next) {
		/* A smaller group needs a shared cell only if a slot points to one already. */
		if (g->nr < PB_GROUP_MIN && !g->led && module->nr < PB_MODULE_LARGE)
			continue;
		error = pb_shared_init(module);
		if (!error)
			pb_group_find_cell(g, 1);
	}
	pb_free(grouping);
	for (size_t i = start; i < end && !error; i++) {
		struct pb_target *t = &plan->targets[i];

		if (t->group)
			share_set(t);
		if (t->step != PB_STEP_NONE)
			error = place_target(plan, t, &own);
	}
	return error ? error : own ? pb_cells_reserve(module, own) : 0;
}

int pb_place(struct pb_plan *plan)
{
	int error = 0;

	for (size_t i = 0, end; i < plan->nr && !error; i = end) {
		end = pb_plan_module_end(plan, i);
		error = place_module(plan, i, end);
	}
	return error;
}

void pb_groups_free(struct pb_group *groups)
{
	while (groups) {
		struct pb_group *next = groups->next;

		if (groups->owns)
			pb_free(groups->set);
		pb_free(groups);
		groups = next;
	}
}

/* Extend each tracer's range of cells by @cell, which has got these tracers. */
static void note_tracers(const struct patchbay_cell *cell)
{
	const uintptr_t at = (uintptr_t)cell;
	size_t nr;
	const struct patchbay_cell *members = pb_set_cells(cell, &nr);

	for (size_t i = 0; i < nr; i++) {
		struct pb_cell_range *cells = &members[i].ops->cells;

		if (at < cells->first)
			cells->first = at;
		if (at > cells->last)
			cells->last = at;
	}
}

/* Give @cell, the cell of @record, the tracers of @set. No thread is inside the cell. */
static void fill_from_set(struct patchbay_cell *cell,
			  const struct patchbay_record *record,
			  struct pb_set *set)
{
	cell->record = record;
	cell->ops = set->cells[0].ops;
	pb_cell_enter_set(cell, set);
}

/* Give the members of @set, which handlers see, the common record of @cell's functions. */
static void set_shape(struct pb_set *set, const struct pb_shared_cell *cell)
{
	for (size_t i = 0; i < set->nr; i++)
		set->cells[i].record = &cell->shape;
}

void pb_fill_group(struct pb_group *g)
{
	struct pb_shared_cell *cell = g->cell;

	if (g->filled || cell->cell.ops)
		return;
	g->filled = 1;
	pb_shared_take(cell, g->shape);
	if (g->set) {
		set_shape(g->set, cell);
		fill_from_set(&cell->cell, &cell->shape, g->set);
		g->set = NULL;
	} else {
		g->one.record = &cell->shape;
		pb_fill_cell(&cell->cell, g->one);
	}
	note_tracers(&cell->cell);
}

void pb_unfill_group(struct pb_group *g, int seen)
{
	struct patchbay_cell *cell = g->cell ? &g->cell->cell : NULL;

	if (!g->filled)
		return;
	if (seen || g->led) {
		/* A cell that no function has any more keeps its tracers while threads are inside. */
		if (!pb_shared_is_abandoned(g->cell))
			pb_empty_cell(cell);
		pb_mark_unsettled(g->module, 0);
		return;
	}
	pb_retire_unseen((struct pb_set *)cell->set);
	pb_cell_enter_by(cell, pb_enter_nothing);
	pb_release_cell(cell);
}

static void fill_own(struct pb_target *t)
{
	if (!t->cell)
		t->cell = pb_cell_take(t->module);
	t->fresh = !t->cell->enter;
	if (t->owner == PB_OWNER_GATE)
		__atomic_store_n(&t->module->shared->own[pb_record_index(
					 t->module, t->record)],
				 t->cell, __ATOMIC_RELEASE);
	if (t->set) {
		fill_from_set(t->cell, t->record, t->set);
		t->set = NULL;
	} else {
		pb_fill_cell(t->cell, pb_target_tracer(t));
	}
	note_tracers(t->cell);
}

void pb_fill_target(struct pb_target *t)
{
	if (t->group)
		pb_fill_group(t->group);
	else
		fill_own(t);
}

uintptr_t pb_target_slot(const struct pb_target *t)
{
	return t->owner == PB_OWNER_NONE ? (uintptr_t)t->cell :
					   pb_owner_slot(t->module, t->owner);
}

unsigned int pb_owner_found(const struct pb_module *module, size_t i,
			    unsigned int owner)
{
	const uintptr_t slot =
		pb_arch_slot(pb_record_entry(&module->records[i]));

	if (slot == pb_owner_slot(module, owner))
		return owner;
	/* move_slots_back() has pointed the slot to the empty cell. */
	if (slot == pb_owner_slot(module, PB_OWNER_NOBODY))
		return PB_OWNER_NOBODY;
	return pb_owner(module, i);
}

void pb_empty_cell(struct patchbay_cell *cell)
{
	pb_retire((struct pb_set *)cell->set);
	__atomic_store_n(&cell->set, &pb_set_nobody, __ATOMIC_RELEASE);
	pb_cell_enter_by(cell, pb_enter_nothing);
}

static void swap_set(struct patchbay_cell *cell, struct pb_set *set)
{
	pb_retire((struct pb_set *)cell->set);
	pb_cell_enter_set(cell, set);
}

void pb_swap_group(struct pb_group *g)
{
	if (!g->set)
		return;
	set_shape(g->set, g->cell);
	swap_set(&g->cell->cell, g->set);
	g->set = NULL;
	note_tracers(&g->cell->cell);
}

void pb_swap_target(struct pb_target *t)
{
	if (t->group) {
		pb_swap_group(t->group);
		return;
	}
	swap_set(t->cell, t->set);
	t->set = NULL;
	note_tracers(t->cell);
}
