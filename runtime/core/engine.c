/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "engine.h"

#include "arch.h"
#include "cell.h"
#include "enter.h"
#include "names.h"
#include "quiesce.h"
#include "set.h"
#include "text.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

struct patchbay_ops *pb_tracers;

/*
 * One function of a batch. @site says that the site itself is flipped: it is
 * the first tracer that is armed here, or the last that is disarmed. Otherwise
 * the function's cell gets @set.
 */
struct target {
	struct pb_module *module;
	const struct patchbay_record *record;
	void *data;
	struct patchbay_cell *cell;
	struct pb_set *set;
	int site;
};

struct batch {
	struct target *targets;
	size_t nr, room;
};

static struct pb_site site_of(const struct target *target)
{
	struct pb_site site = { .entry = pb_record_entry(target->record),
				.site = pb_record_site(target->record) };

	site.reach = pb_arch_reach(target->module->reach, target->record);
	return site;
}

/* Is @addr in the module's text, with a prefix before and a site behind it? */
static int in_text(const struct pb_module *module, uintptr_t addr)
{
	return addr >= module->low + PATCHBAY_PREFIX_SIZE &&
	       addr + pb_arch_site_size <= module->high;
}

/* The state of a record's site, with the record itself checked. */
static int state_of(const struct target *target)
{
	struct pb_site site;

	if (!in_text(target->module, pb_record_entry(target->record)) ||
	    !in_text(target->module, pb_record_site(target->record)))
		return -EILSEQ;
	site = site_of(target);
	return pb_arch_site_state(&site);
}

static struct patchbay_cell *cell_of(const struct pb_module *module,
				     const struct patchbay_record *record)
{
	return pb_cell_from_slot(module, pb_arch_slot(pb_record_entry(record)));
}

const struct patchbay_cell *pb_engine_cells(const struct pb_module *module,
					    const struct patchbay_record *record,
					    size_t *nr)
{
	struct target target = { .module = (struct pb_module *)module,
				 .record = record };
	const struct patchbay_cell *cell;

	*nr = 0;
	if (state_of(&target) != PB_SITE_ARMED)
		return NULL;
	cell = cell_of(module, record);
	return cell ? pb_set_cells(cell, nr) : NULL;
}

static int batch_add(struct batch *batch, struct target target)
{
	if (batch->nr == batch->room) {
		size_t room = batch->room ? 2 * batch->room : 64;
		struct target *targets =
			realloc(batch->targets, room * sizeof(*targets));

		if (!targets)
			return -ENOMEM;
		batch->targets = targets;
		batch->room = room;
	}
	batch->targets[batch->nr++] = target;
	return 0;
}

/* Add what shall be armed in @module; *@matches counts what the glob found. */
static int add_to_arm(struct batch *batch, struct pb_module *module,
		      struct patchbay_ops *ops, const char *glob,
		      size_t *matches)
{
	const struct patchbay_record **records;
	size_t nr;
	int error = pb_names_match(module, glob, &records, &nr);

	if (error)
		return error;
	*matches += nr;
	for (size_t i = 0; i < nr && !error; i++) {
		struct target target = { .module = module,
					 .record = records[i],
					 .data = ops->attr.data };
		int state = state_of(&target);

		target.cell = cell_of(module, records[i]);
		if (state < 0)
			error = state;
		else if (state == PB_SITE_ARMED && !target.cell)
			error = -EILSEQ; /* armed, but not by us */
		else if (state == PB_SITE_DISARMED && target.cell &&
			 target.cell->ops)
			error = -EAGAIN; /* see pb_engine_arm() */
		if (error)
			break;
		/* An armed site without a tracer could not be disarmed. */
		target.site = !target.cell || !target.cell->ops;
		if (target.site || !pb_set_find(target.cell, ops))
			error = batch_add(batch, target);
	}
	free(records);
	return error;
}

static int add_to_disarm(struct batch *batch, struct pb_module *module,
			 const struct patchbay_ops *ops, const char *glob)
{
	const struct patchbay_record **records;
	size_t nr;
	int error;

	if (!module->cells)
		return 0;
	error = pb_names_match(module, glob, &records, &nr);
	if (error)
		return error;
	for (size_t i = 0; i < nr && !error; i++) {
		struct target target = { .module = module,
					 .record = records[i],
					 .cell = cell_of(module, records[i]) };
		size_t tracers;

		if (!target.cell || !target.cell->ops ||
		    !pb_set_find(target.cell, ops))
			continue;
		pb_set_cells(target.cell, &tracers);
		target.site = tracers == 1;
		error = batch_add(batch, target);
	}
	free(records);
	return error;
}

/* Ask the tracer for the data of its functions, module by module. */
static int attach(struct batch *batch, struct patchbay_ops *ops)
{
	struct patchbay_target *asked;
	int error = 0;

	if (!ops->attr.attach)
		return 0;
	asked = calloc(batch->nr, sizeof(*asked));
	if (!asked)
		return -ENOMEM;
	for (size_t i = 0, end; i < batch->nr && !error; i = end) {
		struct target *t = &batch->targets[i];

		for (end = i; end < batch->nr &&
			      batch->targets[end].module == t->module;
		     end++)
			asked[end - i] = (struct patchbay_target){
				.entry = pb_record_entry(
					batch->targets[end].record),
				.record = batch->targets[end].record,
				.data = batch->targets[end].data,
			};
		error = ops->attr.attach(ops->attr.data, &t->module->info,
					 asked, end - i);
		for (size_t j = i; j < end; j++)
			batch->targets[j].data = asked[j - i].data;
	}
	free(asked);
	return error;
}

/* Memory and a way to the trampolines, before anything is changed. */
static int provide(struct batch *batch)
{
	for (size_t i = 0, end; i < batch->nr; i = end) {
		struct pb_module *module = batch->targets[i].module;
		size_t cells = 0;
		int error;

		if (!module->have_reach) {
			module->reach = pb_arch_map_reach(module->low,
							  module->high, &error);
			if (error)
				return error;
			module->have_reach = 1;
		}
		for (end = i; end < batch->nr &&
			      batch->targets[end].module == module;
		     end++)
			cells += !batch->targets[end].cell;
		error = pb_cells_reserve(module, cells);
		if (error)
			return error;
	}
	return 0;
}

/* A set for each function that keeps others. @more: room for one more. */
static int make_sets(struct batch *batch, const struct patchbay_ops *gone,
		     int more)
{
	for (size_t i = 0; i < batch->nr; i++) {
		struct target *t = &batch->targets[i];

		if (t->site)
			continue;
		t->set = pb_set_new(t->cell, gone, more);
		if (!t->set)
			return -ENOMEM;
	}
	return 0;
}

static void drop_sets(struct batch *batch)
{
	for (size_t i = 0; i < batch->nr; i++)
		free(batch->targets[i].set);
}

/* Sets that were replaced; a thread may still be walking one. */
static struct pb_set *retired;

static void free_sets(struct pb_set *set)
{
	while (set) {
		struct pb_set *next = set->retired;

		free(set);
		set = next;
	}
}

/*
 * Give the cells their new sets. A thread that entered a cell the old way
 * finds all of the old way as it was: the cell's own fields, or the old set.
 */
static void swap_sets(struct batch *batch)
{
	for (size_t i = 0; i < batch->nr; i++) {
		struct target *t = &batch->targets[i];
		struct pb_set *old;

		if (t->site)
			continue;
		old = (struct pb_set *)t->cell->set;
		__atomic_store_n(&t->cell->set, t->set, __ATOMIC_RELEASE);
		__atomic_store_n(&t->cell->enter, pb_set_enter(t->set),
				 __ATOMIC_RELEASE);
		t->set = NULL;
		if (old) {
			old->retired = retired;
			retired = old;
		}
	}
}

static struct patchbay_cell new_cell(const struct target *target,
				     struct patchbay_ops *ops)
{
	return (struct patchbay_cell){
		.enter = ops->attr.flags & PATCHBAY_OPS_FAST ?
				 ops->attr.handler :
				 pb_arch_enter_any,
		.func = ops->attr.handler,
		.data = target->data,
		.record = target->record,
		.ops = ops,
	};
}

/*
 * Write @from into a cell that nobody is inside of. @enter comes last: threads
 * on the way into a trampoline since before may read it at any time.
 */
static void fill_cell(struct patchbay_cell *cell, struct patchbay_cell from)
{
	cell->func = from.func;
	cell->data = from.data;
	cell->record = from.record;
	cell->ops = from.ops;
	__atomic_store_n(&cell->enter, from.enter, __ATOMIC_RELEASE);
}

/* Where the site is to be armed, nobody is inside: disarming has waited. */
static void fill_cells(struct batch *batch, struct patchbay_ops *ops)
{
	for (size_t i = 0; i < batch->nr; i++) {
		struct target *t = &batch->targets[i];

		if (!t->site) {
			t->set->cells[t->set->nr++] = new_cell(t, ops);
			continue;
		}
		if (!t->cell)
			t->cell = pb_cell_take(t->module);
		fill_cell(t->cell, new_cell(t, ops));
	}
}

/* Where the site is disarmed now, let nobody enter any more. */
static void empty_cells(struct batch *batch)
{
	for (size_t i = 0; i < batch->nr; i++)
		if (batch->targets[i].site)
			__atomic_store_n(&batch->targets[i].cell->enter,
					 pb_enter_nothing, __ATOMIC_RELEASE);
}

/*
 * After pb_quiesce(): nobody is in a cell the way it was before the batch.
 * Cells of one tracer are entered without their set again, which is faster;
 * the set stays, since a thread may be walking it.
 */
static void settle_cells(struct batch *batch)
{
	for (size_t i = 0; i < batch->nr; i++) {
		struct patchbay_cell *cell = batch->targets[i].cell;

		if (batch->targets[i].site) {
			cell->ops = NULL;
			free((void *)cell->set);
			cell->set = NULL;
		} else if (cell->set->nr == 1) {
			fill_cell(cell, cell->set->cells[0]);
		}
	}
}

/*
 * Let go of the engine lock until no handler is running that is running now,
 * and free what nobody can see any more. Modules may come and go meanwhile;
 * the memory of those stays until the caller lock is free (module.c).
 */
static int wait_for_handlers(void)
{
	struct pb_set *unseen = retired;
	int error;

	retired = NULL;
	pb_engine_unlock();
	error = pb_quiesce();
	pb_engine_lock();
	if (!error) {
		free_sets(unseen);
		return 0;
	}
	while (unseen) {
		struct pb_set *next = unseen->retired;

		unseen->retired = retired;
		retired = unseen;
		unseen = next;
	}
	return error;
}

static int by_address(const void *a, const void *b)
{
	const struct pb_patch *left = a, *right = b;

	return (left->addr > right->addr) - (left->addr < right->addr);
}

static int apply(struct pb_patch *patches, size_t nr)
{
	qsort(patches, nr, sizeof(*patches), by_address);
	return pb_text_apply(patches, nr);
}

static int publish(struct batch *batch, struct pb_patch *patches)
{
	int stale = 0, error;
	size_t nr = 0;

	for (size_t i = 0; i < batch->nr; i++) {
		struct pb_site site = site_of(&batch->targets[i]);
		int more;

		if (!batch->targets[i].site)
			continue;
		more = pb_arch_publish(&site, (uintptr_t)batch->targets[i].cell,
				       &patches[nr], &stale);
		if (more < 0)
			return more;
		nr += (size_t)more;
	}
	if (stale) {
		error = pb_sync_core();
		if (error)
			return error;
	}
	error = apply(patches, nr);
	return error ? error : pb_sync_core();
}

typedef void flip_site(const struct pb_site *, struct pb_patch *);

/* Flip the sites of @batch that are in state @from. */
static int flip(struct batch *batch, struct pb_patch *patches, int from,
		flip_site *flip_site)
{
	size_t nr = 0;

	for (size_t i = 0; i < batch->nr; i++) {
		struct pb_site site = site_of(&batch->targets[i]);

		if (batch->targets[i].site && pb_arch_site_state(&site) == from)
			flip_site(&site, &patches[nr++]);
	}
	return apply(patches, nr);
}

static int arm_batch(struct batch *batch, struct patchbay_ops *ops)
{
	struct pb_patch *patches;
	int error;

	patches = calloc(batch->nr, PB_PUBLISH_MAX * sizeof(*patches));
	error = patches ? provide(batch) : -ENOMEM;
	if (!error)
		error = make_sets(batch, NULL, 1);
	if (!error)
		error = attach(batch, ops);
	if (error)
		goto out;
	fill_cells(batch, ops);
	error = publish(batch, patches);
	if (!error)
		error = flip(batch, patches, PB_SITE_DISARMED, pb_arch_arm);
	if (error) {
		/*
		 * Handlers may have run already. Their cells keep the tracer,
		 * which marks them as not quiesced.
		 */
		flip(batch, patches, PB_SITE_ARMED, pb_arch_disarm);
		empty_cells(batch);
		goto out;
	}
	swap_sets(batch);
out:
	drop_sets(batch);
	free(patches);
	return error;
}

/*
 * What counts is the cell: emptied, it calls no handler, whatever the text
 * does. So if a site cannot be disarmed (another patcher has changed it, the
 * process has lost its right to write text) it goes on calling the trampoline,
 * for nothing, and that is no error.
 */
static int disarm_batch(struct batch *batch, const struct patchbay_ops *ops)
{
	struct pb_patch *patches = calloc(batch->nr, sizeof(*patches));
	int error = patches ? make_sets(batch, ops, 0) : -ENOMEM;

	if (!error) {
		flip(batch, patches, PB_SITE_ARMED, pb_arch_disarm);
		swap_sets(batch);
		empty_cells(batch);
		error = wait_for_handlers();
		if (!error)
			settle_cells(batch);
	}
	drop_sets(batch);
	free(patches);
	return error;
}

static int count(const struct batch *batch)
{
	return batch->nr > INT_MAX ? INT_MAX : (int)batch->nr;
}

static int try_arm(struct patchbay_ops *ops, const char *glob,
		   struct pb_module *only)
{
	struct batch batch = { 0 };
	struct pb_module *module;
	size_t matches = 0;
	int error = 0;

	for (module = pb_modules; module && !error; module = module->next)
		if (!only || module == only)
			error = add_to_arm(&batch, module, ops, glob, &matches);
	if (!error && !matches)
		error = -ENOENT;
	if (!error && batch.nr)
		error = arm_batch(&batch, ops);
	free(batch.targets);
	return error ? error : count(&batch);
}

/* Give cells that a batch left behind, in whatever process, to the next. */
static int settle_left_behind(void)
{
	int error = wait_for_handlers();

	for (struct pb_module *m = pb_modules; m && !error; m = m->next) {
		for (size_t i = 0; i < m->nr; i++) {
			struct target target = { .module = m,
						 .record = &m->records[i] };
			struct patchbay_cell *cell = cell_of(m, target.record);

			if (cell && cell->ops &&
			    state_of(&target) == PB_SITE_DISARMED) {
				free((void *)cell->set);
				cell->set = NULL;
				cell->ops = NULL;
			}
		}
	}
	return error;
}

int pb_engine_arm(struct patchbay_ops *ops, const char *glob)
{
	int nr = try_arm(ops, glob, NULL);

	if (nr == -EAGAIN) {
		int error = settle_left_behind();

		nr = error ? error : try_arm(ops, glob, NULL);
	}
	return nr;
}

int pb_engine_disarm(struct patchbay_ops *ops, const char *glob)
{
	struct batch batch = { 0 };
	int error = 0;

	for (struct pb_module *m = pb_modules; m && !error; m = m->next)
		error = add_to_disarm(&batch, m, ops, glob);
	if (!error && batch.nr)
		error = disarm_batch(&batch, ops);
	free(batch.targets);
	return error ? error : count(&batch);
}

void pb_engine_module_added(struct pb_module *module)
{
	for (struct patchbay_ops *ops = pb_tracers; ops; ops = ops->next)
		for (struct pb_future *f = ops->future; f; f = f->next)
			try_arm(ops, f->glob, module);
}

void pb_engine_module_leaving(struct pb_module *module)
{
	pb_cells_redirect(module, pb_enter_nothing);
}
