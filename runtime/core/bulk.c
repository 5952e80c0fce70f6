/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bulk.h"

#include "arch_bulk.h"
#include "bulk_text.h"
#include "cell.h"
#include "future.h"
#include "lock.h"
#include "mode.h"
#include "names.h"
#include "select.h"
#include "settle.h"
#include "site.h"
#include "stats.h"
#include "strict.h"
#include "text.h"


#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Fewer are quicker by a plan, and better off with cells of their own. */
#define MANY 64

/* PB_NOT_BULK: there are more shapes than can have a cell. */
static int add_group(struct pb_bulk *bulk, struct pb_bulk_module *b,
		     const struct patchbay_record *record,
		     struct pb_group **group)
{
	const uint32_t shape = pb_shape(record);
	unsigned int at = shape * 2654435761u >> 23;
	struct patchbay_ops *ops = bulk->request->ops;

	if (++b->nr_groups == PB_NR_SHARED)
		return PB_NOT_BULK;
	*group = malloc(sizeof(**group));
	if (!*group)
		return -ENOMEM;
	**group = (struct pb_group){
		.next = b->groups,
		.module = b->module,
		.shape = shape,
		.one = pb_ops_cell(ops, record, ops->attr.data, pb_since),
	};
	b->groups = *group;
	while (b->by_shape[at])
		at = (at + 1) % PB_NR_SHAPES;
	b->by_shape[at] = b->last = *group;
	return 0;
}

/* The cell of its own that function @i has, or NULL. */
static const struct patchbay_cell *own_cell(const struct pb_module *module,
					    size_t i, uintptr_t slot)
{
	const unsigned int owner = pb_owner(module, i);

	if (!slot || (owner != PB_OWNER_NONE && owner != PB_OWNER_GATE))
		return NULL;
	return pb_cell_of(module, &module->records[i]);
}

/* Where does function @i lead to? Whoever has a tracer is not for us. */
static int check_owner(const struct pb_module *module, size_t i, uintptr_t slot)
{
	const unsigned int owner = pb_owner(module, i);
	const struct patchbay_cell *from = own_cell(module, i, slot);

	if (!from && owner == PB_OWNER_NONE)
		return 0;
	if (!from && (owner == PB_OWNER_GATE ||
		      slot != pb_owner_slot(module, owner)))
		return PB_NOT_BULK;
	if (!from)
		from = &module->shared->cells[owner].cell;
	if (owner == PB_OWNER_NOBODY || !from->ops)
		return 0;
	return from->set == &pb_set_nobody ? PB_UNSETTLED : PB_NOT_BULK;
}

/* Put function @i among those of @choice, which most modules have none of. */
static int add_to(struct pb_choice *choice, const struct pb_bulk_module *b,
		  size_t i)
{
	int error = choice->bits ? 0 : pb_choice_init(choice, b->module->nr, 0);

	if (!error)
		pb_choice_add(choice, i, 0);
	return error;
}

/* Function @i keeps the cell of its own that it has. */
static int add_own(struct pb_bulk_module *b, size_t i)
{
	int error = add_to(&b->own, b, i);

	if (error)
		return error;
	b->nr_own++;
	b->nr++;
	return 0;
}

/* What nearly all sites are, seen at a glance. */
static int is_disarmed(const struct pb_module *module,
		       const struct patchbay_record *record, uintptr_t entry,
		       uintptr_t site)
{
	if (entry < module->low + PB_BULK_BEFORE || site < entry ||
	    site >= module->high || module->high - site < PB_BULK_SITE_READ)
		return 0;
	return pb_bulk_is_disarmed(entry, site - entry,
				   (uintptr_t)pb_arch_reach(module, record)) &&
	       !pb_names_is_moved(module, record);
}

/*
 * Can the site of function @i be armed? They have to be in the order of text, none
 * within another; @end is where the last one did.
 */
static int check_site(const struct pb_module *module, size_t i, uintptr_t *end)
{
	const struct patchbay_record *record = &module->records[i];
	const uintptr_t entry = pb_record_entry(record),
			at = pb_record_site(record);

	/* What is armed, or moved, is for a plan. */
	if (!is_disarmed(module, record, entry, at))
		return pb_site_state(module, record) < 0 ? -EILSEQ : PB_NOT_BULK;
	if (entry < *end + PB_BULK_BEFORE)
		return PB_NOT_BULK;
	*end = at + PB_BULK_SITE_SIZE;
	return 0;
}

/* May the request's tracer be on this function? 1: no, but that is no error. */
static int check_tracer(const struct pb_bulk *bulk, struct pb_module *module,
			const struct patchbay_record *record)
{
	const struct patchbay_ops_attr *attr = &bulk->request->ops->attr;
	const struct pb_target asked = { .module = module,
					 .record = record,
					 .request = bulk->request,
					 .data = attr->data };

	return attr->check || attr->exit ? pb_check_function(&asked) : 0;
}

/* Leave function @i out of what is to be done. */
static void leave_out(struct pb_bulk_module *b, size_t i)
{
	b->choice.bits[i / 64] &= ~(UINT64_C(1) << i % 64);
}

/* All that have no bit in a word with those from @first to @last. */
static void leave_out_others(struct pb_choice *choice, size_t first, size_t last)
{
	const size_t nr = (choice->nr + 63) / 64, low = first / 64,
		     end = first < choice->nr ? last / 64 + 1 : nr;

	memset(choice->bits, 0, low * sizeof(*choice->bits));
	memset(choice->bits + end, 0, (nr - end) * sizeof(*choice->bits));
}

/* @nr functions from @first to @last, led by @owner, come to @group. */
static void add_run(struct pb_bulk_module *b, struct pb_group *group,
		    unsigned int owner, size_t first, size_t last, size_t nr)
{
	if (!nr)
		return;
	if (owner >= PB_OWNER_FIRST)
		pb_group_leave(&b->module->shared->cells[owner], group,
			       (uint32_t)nr);
	if (!group->nr)
		group->first = first;
	group->last = last;
	group->led |= owner != PB_OWNER_NONE;
	group->nr += nr;
	b->nr += nr;
}

static int check_function(struct pb_bulk *bulk, struct pb_bulk_module *b, size_t i,
			  uintptr_t *end)
{
	struct pb_module *module = b->module;
	const struct patchbay_record *record = &module->records[i];
	const unsigned int owner = pb_owner(module, i);
	struct pb_group *group = pb_bulk_group(b, pb_shape(record));
	uintptr_t slot = 0;
	int error = check_tracer(bulk, module, record);

	if (error == 1) {
		leave_out(b, i);
		return 0;
	}
	if (!error && !group)
		error = add_group(bulk, b, record, &group);
	if (error)
		return error;
	error = check_site(module, i, end);
	if (error == -EILSEQ && add_to(&b->refused, b, i))
		return -ENOMEM;
	if (error < 0 && pb_may_skip(bulk->request, error)) {
		leave_out(b, i);
		return 0;
	}
	/* Not before the record is known to lead to text. */
	if (!error) {
		slot = pb_arch_slot(pb_record_entry(record));
		error = check_owner(module, i, slot);
	}
	if (error)
		return error;
	/* Who is behind a gate comes back to share; no slot leads back from elsewhere. */
	if (owner == PB_OWNER_NONE && own_cell(module, i, slot))
		return add_own(b, i);
	add_run(b, group, owner, i, i, 1);
	/* Others that lead there are for us, too; behind a gate each has its own. */
	if (owner != PB_OWNER_GATE)
		b->slot_of[owner] = slot;
	group->stub[pb_record_entry(record) != pb_record_site(record)] =
		(uintptr_t)pb_arch_reach(module, record);
	return 0;
}

/*
 * What check_function() does, for function @i and those behind it, as long as they are
 * what nearly all are: of a shape that was seen before, and led to a cell that others
 * were led to. Returns the first one that is not.
 */
static size_t check_usual(struct pb_bulk_module *b, size_t i, uintptr_t *end)
{
	const struct pb_module *module = b->module;
	const struct patchbay_record *records = module->records;
	const uint8_t *owners = module->shared ? module->shared->owner : NULL;
	const uintptr_t highest = module->high - PB_BULK_SITE_READ;
	uintptr_t lowest = *end + PB_BULK_BEFORE;
	struct pb_group *group = NULL;
	unsigned int owner = PB_OWNER_NONE;
	size_t first = i, last = i, nr = 0;

	for (; i < module->nr; i = pb_choice_next(&b->choice, i + 1)) {
		const uintptr_t entry = pb_record_entry(&records[i]),
				site = pb_record_site(&records[i]);
		const unsigned int by = owners ? owners[i] : PB_OWNER_NONE;
		const uint32_t shape = pb_shape(&records[i]);

		if (!group || group->shape != shape || owner != by) {
			add_run(b, group, owner, first, last, nr);
			nr = 0;
			first = i;
			owner = by;
			group = pb_bulk_group(b, shape);
			if (!group)
				break;
		}
		if (entry < lowest || site < entry || site > highest ||
		    pb_bulk_slot_at(entry) != b->slot_of[by] ||
		    !pb_bulk_is_disarmed(entry, site - entry,
					 group->stub[site != entry]))
			break;
		lowest = site + PB_BULK_SITE_SIZE + PB_BULK_BEFORE;
		last = i;
		nr++;
	}
	add_run(b, group, owner, first, last, nr);
	*end = lowest - PB_BULK_BEFORE;
	return i;
}

/*
 * Are they all for us? A tracer is asked about each function once, so this is found
 * out before.
 */
static int look_ahead(const struct pb_bulk_module *b)
{
	const struct pb_module *module = b->module;
	uintptr_t end = 0;
	int error = 0;

	for (size_t i = pb_choice_next(&b->choice, 0); i < module->nr;
	     i = pb_choice_next(&b->choice, i + 1)) {
		error = check_site(module, i, &end);
		if (!error)
			error = check_owner(module, i,
					    pb_arch_slot(pb_record_entry(
						    &module->records[i])));
		if (error > 0)
			return error;
	}
	return 0;
}

static int check_module(struct pb_bulk *bulk, struct pb_bulk_module *b)
{
	struct pb_module *module = b->module;
	const struct patchbay_ops_attr *attr = &bulk->request->ops->attr;
	/* Exits are a matter of shape; else nobody is to be asked about each? */
	const int usual = !attr->check && !pb_names_here(module);
	uintptr_t end;
	int error = pb_plan_reach(module);

	b->first = !pb_arch_is_open(module);
	pb_groups_begin(module);
	if (!error && bulk->request->ops->attr.check)
		error = look_ahead(b);
	/* Low enough for the first function. */
	end = module->low;
	for (unsigned int owner = 0; owner < PB_NR_SHARED; owner++)
		b->slot_of[owner] = (uintptr_t)b;
	for (size_t i = pb_choice_next(&b->choice, 0); i < module->nr && !error;
	     i = pb_choice_next(&b->choice, i + 1)) {
		if (usual)
			i = check_usual(b, i, &end);
		if (i < module->nr)
			error = check_function(bulk, b, i, &end);
	}
	if (!error && b->nr > b->nr_own)
		error = pb_shared_init(module);
	/* A plan would ask for data again. */
	if (!error && b->nr > b->nr_own && bulk->request->ops->attr.attach &&
	    !pb_groups_fit(module, b->nr_groups))
		error = PB_NOT_BULK;
	return error;
}

/* Functions of a module have the same data: what its tracer says they are. */
static int attach(struct pb_bulk *bulk, struct pb_bulk_module *b)
{
	struct patchbay_ops *ops = bulk->request->ops;
	struct pb_module *module = b->module;
	struct patchbay_target *targets;
	int error, own_data = 0;
	size_t nr = 0;

	targets = malloc(b->nr * sizeof(*targets));
	if (!targets)
		return -ENOMEM;
	for (size_t i = pb_choice_next(&b->choice, 0); i < module->nr;
	     i = pb_choice_next(&b->choice, i + 1))
		targets[nr++] = pb_function_target(&module->records[i],
						   ops->attr.data);
	error = pb_attach(ops, module, targets, nr, &own_data);
	for (struct pb_group *g = b->groups; g && !error; g = g->next)
		g->one.data = targets[0].data;
	free(targets);
	return error;
}

/* Which cells do they get? */
static int find_cells(struct pb_bulk *bulk, struct pb_bulk_module *b)
{
	int error = 0;

	if (b->nr && bulk->request->ops->attr.attach)
		error = attach(bulk, b);
	for (struct pb_group *g = b->groups; g && !error; g = g->next) {
		if (!g->nr)
			continue;
		pb_group_find_cell(g);
		if (!g->cell)
			return PB_NOT_BULK;
		b->slots |= g->way != PB_GROUP_STAYS || g->cell->leaving != g->nr;
	}
	return error;
}

/* Is it of @cell, which has no other, that the request takes its tracer? */
static int is_alone_on(const struct patchbay_cell *cell,
		       const struct patchbay_ops *ops)
{
	size_t nr;
	const struct patchbay_cell *tracers = pb_set_cells(cell, &nr);

	return nr == 1 && tracers->ops == ops;
}

/* The function that has @cell to itself, if it is chosen; *@first, *@last as below. */
static int find_own(struct pb_bulk_module *b, const struct patchbay_cell *cell,
		    size_t *first, size_t *last)
{
	const size_t i = pb_record_index(b->module, cell->record);

	if (!pb_choice_has(&b->choice, i))
		return 0;
	if (i < *first)
		*first = i;
	if (i > *last)
		*last = i;
	return add_own(b, i);
}

/* Those of the chosen functions that have the tracer, if it is alone on all. */
static int find_armed(struct pb_bulk *bulk, struct pb_bulk_module *b)
{
	const struct patchbay_ops *ops = bulk->request->ops;
	struct pb_module *module = b->module;
	uint8_t has[PB_NR_SHARED] = { 0 };
	struct patchbay_cell *cell;
	struct pb_cell_walk walk;
	size_t first = module->nr, last = 0;

	pb_groups_begin(module);
	pb_for_each_cell_in(module, ops->cells, walk, cell) {
		const struct pb_shared_cell *shared = pb_shared_of(module, cell);

		if (!cell->ops || !pb_set_find(cell, ops) ||
		    !pb_cell_users(module, cell))
			continue;
		if (!is_alone_on(cell, ops))
			return PB_NOT_BULK;
		if (!shared) {
			const int error = find_own(b, cell, &first, &last);

			if (error)
				return error;
			continue;
		}
		has[pb_shared_number(module, shared)] = 1;
		if (shared->first < first)
			first = shared->first;
		if (shared->last > last)
			last = shared->last;
	}
	/* There may be very many that are chosen and have no tracer. */
	leave_out_others(&b->choice, first, last);
	for (size_t i = pb_choice_next(&b->choice, 0); i < module->nr;
	     i = pb_choice_next(&b->choice, i + 1)) {
		const unsigned int owner = pb_owner(module, i);

		if (pb_bulk_is_own(b, i))
			continue;
		if (i < first || i > last || !has[owner]) {
			leave_out(b, i);
			continue;
		}
		pb_group_leave(&module->shared->cells[owner], NULL, 1);
		b->nr++;
	}
	for (unsigned int i = PB_OWNER_FIRST; b->nr > b->nr_own && i < PB_NR_SHARED;
	     i++) {
		struct pb_shared_cell *from = &module->shared->cells[i];

		if (!has[i] || !from->leaving || from->leaving == from->nr)
			continue;
		from->scattered = 1;
		b->parts = 1;
	}
	return 0;
}

static int add_module(struct pb_bulk *bulk, struct pb_module *module)
{
	struct pb_request *request = bulk->request;
	struct pb_bulk_module *b;
	int error;

	if (request->disarm && !module->shared && !module->cells)
		return 0;
	b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	b->module = module;
	error = pb_names_choose(module, request->filter, &b->choice,
				request->found);
	if (error) {
		free(b);
		return error;
	}
	b->next = bulk->modules;
	bulk->modules = b;
	for (size_t i = 0; i < module->nr; i += 64)
		request->known += (size_t)__builtin_popcountll(
			b->choice.bits[i / 64]);
	return 0;
}

static int prepare(struct pb_bulk *bulk, struct pb_module *only)
{
	struct pb_request *request = bulk->request;
	int error = 0;

	for (struct pb_module *m = pb_modules; m && !error; m = m->next)
		if (m->nr && (!only || m == only))
			error = add_module(bulk, m);
	if (!error)
		error = pb_requests_check(request);
	if (!error && request->known < MANY)
		error = PB_NOT_BULK;
	for (struct pb_bulk_module *b = bulk->modules; b && !error; b = b->next) {
		error = request->disarm ? find_armed(bulk, b) :
					  check_module(bulk, b);
		request->nr += b->nr;
	}
	/* Whoever was asked about each function is not to be asked again. */
	if (!error && request->nr < MANY &&
	    (request->disarm || !request->ops->attr.check))
		error = PB_NOT_BULK;
	for (struct pb_bulk_module *b = bulk->modules; b && !error; b = b->next)
		/* Strict mode knows no other way for us. */
		if (b->nr && pb_stores_prepare(&b->stores, b->module) &&
		    pb_strict)
			error = PB_NOT_BULK;
	for (struct pb_bulk_module *b = bulk->modules; b && !error; b = b->next)
		if (!request->disarm)
			error = find_cells(bulk, b);
	return error ? error : pb_text_block_init(&bulk->block);
}

/* Whose sites were refused, unless all is left to others, who find and count them. */
static void count_refused(const struct pb_bulk *bulk)
{
	for (struct pb_bulk_module *b = bulk->modules; b; b = b->next) {
		struct pb_module *module = b->module;

		if (!b->refused.bits)
			continue;
		for (size_t i = pb_choice_next(&b->refused, 0); i < module->nr;
		     i = pb_choice_next(&b->refused, i + 1))
			pb_count_refused(module, &module->records[i]);
	}
}

static int put_to_use(struct pb_bulk *bulk)
{
	struct pb_request *request = bulk->request;
	struct pb_filter *forgotten = NULL;
	int error = 0;

	if (request->nr) {
		pb_count(&pb_stats.batches);
		bulk->handle = pb_text_open();
	}
	pb_engine_lock();
	if (request->nr)
		error = request->disarm ? pb_bulk_disarm(bulk) :
					  pb_bulk_arm(bulk);
	if (!error)
		pb_future_update(request, &forgotten);
	pb_engine_unlock();
	pb_future_free(forgotten);
	if (bulk->handle >= 0)
		pb_text_close(bulk->handle);
	return error;
}

static void end(struct pb_bulk *bulk)
{
	struct pb_bulk_module *next;

	for (struct pb_bulk_module *b = bulk->modules; b; b = next) {
		next = b->next;
		pb_choice_free(&b->choice);
		pb_choice_free(&b->own);
		pb_choice_free(&b->refused);
		pb_stores_free(&b->stores);
		pb_groups_free(b->groups);
		free(b);
	}
	pb_text_block_free(&bulk->block);
}

/* One request on functions by what their names are like, or on many. */
static int is_for_us(const struct pb_request *r)
{
	const struct pb_filter *filter = r ? r->filter : NULL;
	const struct patchbay_ops_attr *attr = r ? &r->ops->attr : NULL;

	return r && !r->next && !filter->cookies &&
	       (!pb_strict || pb_modes & PATCHBAY_MODE_STORES) &&
	       (r->disarm || !attr->attach ||
		attr->flags & PATCHBAY_OPS_MODULE_DATA) &&
	       !pb_filter_plain_name(filter) &&
	       (!pb_filter_is_list(filter) || filter->nr >= MANY) &&
	       (!r->disarm || pb_cells_count_armed(r->ops) >= MANY);
}

int pb_bulk_commit(struct pb_request *request, struct pb_module *only,
		   enum pb_wait wait)
{
	struct pb_bulk bulk = { .request = request, .handle = -1 };
	int error;

	if (!is_for_us(request))
		return PB_NOT_BULK;
	pb_begin_batch();
	error = pb_requests_begin(request);
	if (!error)
		error = prepare(&bulk, only);
	pb_requests_end(request);
	if (error <= 0)
		count_refused(&bulk);
	if (!error) {
		error = put_to_use(&bulk);
		if (wait == PB_WAIT && error)
			pb_settle_all(0);
		else if (wait == PB_WAIT && request->disarm)
			error = pb_settle(&(const struct pb_plan){ 0 });
	}
	end(&bulk);
	return error;
}
