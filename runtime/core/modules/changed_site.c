/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "modules/changed_site.h"

#include "cells/cell.h"
#include "cells/site.h"
#include "change/text_queue.h"
#include "modules/inspect.h"
#include "system/lock.h"
#include "system/private.h"
#include "types/set.h"
#include "types/shared_cells.h"

#include <errno.h>
#include <limits.h>

/* The callback of libpatchbay-trace, or NULL. */
static void (*told)(const struct patchbay_site_info *site);

static int has_tracers(const struct patchbay_cell *cell)
{
	return cell && cell->ops && cell->set != &pb_set_nobody;
}

/*
 * The cell that function @i of @module shares with other functions, or NULL. It is found
 * by the recorded owner: other code may have changed the slot, too.
 */
static const struct patchbay_cell *shared_cell(const struct pb_module *module, size_t i)
{
	const unsigned int owner = pb_owner(module, i);

	if (owner == PB_OWNER_NONE || owner == PB_OWNER_NOBODY || owner == PB_OWNER_GATE)
		return NULL;
	return &module->shared->cells[owner].cell;
}

/* The function has tracers: does its site differ from what the library wrote? */
static int is_changed(const struct pb_module *module, const struct patchbay_record *record,
		      int *can_arm)
{
	const struct pb_site site = pb_site_of(module, record);
	const int state = pb_site_state_of(module, &site);
	const int is_led = pb_is_led(module, record) > 0;

	*can_arm = state == PB_SITE_DISARMED && is_led;
	return state != PB_SITE_ARMED || !is_led;
}

/* A walk over the changed sites of a module. @can_arm: the last one can be armed again. */
struct walk {
	const struct pb_module *module;
	struct pb_cell_walk cells;
	size_t next;
	int can_arm;
};

static struct walk start_walk(const struct pb_module *module)
{
	return (struct walk){ .module = module,
			      .cells = pb_cell_walk_start(module, PB_CELLS_ALL) };
}

static const struct patchbay_record *next_changed(struct walk *walk)
{
	const struct pb_module *module = walk->module;
	const struct patchbay_cell *cell;

	while ((cell = pb_cell_next(&walk->cells)))
		if (!pb_shared_of(module, cell) && has_tracers(cell) &&
		    is_changed(module, cell->record, &walk->can_arm))
			return cell->record;
	while (module->shared && walk->next < module->nr) {
		const size_t i = walk->next++;

		if (has_tracers(shared_cell(module, i)) &&
		    is_changed(module, &module->records[i], &walk->can_arm))
			return &module->records[i];
	}
	return NULL;
}

size_t pb_changed_sites(const struct pb_module *module, pb_changed_visit visit, void *arg)
{
	struct walk walk = start_walk(module);
	const struct patchbay_record *record;
	size_t nr = 0;

	while ((record = next_changed(&walk))) {
		struct patchbay_site_info site;

		nr += (size_t)walk.can_arm;
		pb_inspect_site(module, record, &site);
		/* The slot may have been changed instead of the site. */
		if (site.state == PATCHBAY_SITE_DISARMED)
			site.state = PATCHBAY_SITE_CHANGED;
		if (visit)
			visit(&site, arg);
	}
	return nr;
}

/* Write in the engine's order (engine.c): first the code that a site branches to. */
struct rearming {
	struct pb_text_queue tails, sites;
	size_t room;
};

static void queue_module(struct rearming *r, const struct pb_module *module)
{
	struct walk walk = start_walk(module);
	const struct patchbay_record *record;

	while ((record = next_changed(&walk)) && r->sites.nr < r->room) {
		const struct pb_site site = pb_site_of(module, record);

		if (!walk.can_arm || pb_arch_prepare(&site))
			continue;
		r->tails.nr += (size_t)pb_arch_publish(
			&site, pb_arch_slot(site.entry), &r->tails.patches[r->tails.nr]);
		pb_arch_arm(&site, &r->sites.patches[r->sites.nr++]);
	}
}

static int open_modules(int text)
{
	for (const struct pb_module *m = pb_modules; m; m = m->next) {
		const int error = m->have_reach ? pb_arch_open(m, text) : 0;

		if (error)
			return error;
	}
	return 0;
}

static int apply(struct rearming *r)
{
	const int text = r->sites.handle;
	int error = text < 0 ? text : open_modules(text);

	if (error)
		return error;
	r->tails.handle = text;
	error = pb_text_flush(&r->tails);
	if (!error)
		error = pb_sync_core();
	return error ? error : pb_text_flush(&r->sites);
}

int pb_changed_rearm(size_t nr)
{
	struct rearming r = { .tails.handle = -EBADF, .sites.handle = -EBADF, .room = nr };
	int error, count = 0;

	if (!nr)
		return 0;
	error = pb_text_queue_init(&r.tails, nr * PB_PUBLISH_MAX, 1);
	if (!error)
		error = pb_text_queue_init(&r.sites, nr, 1);
	for (const struct pb_module *m = pb_modules; m && !error; m = m->next)
		queue_module(&r, m);
	if (!error && r.sites.nr) {
		count = r.sites.nr > INT_MAX ? INT_MAX : (int)r.sites.nr;
		pb_text_queue_open(&r.sites);
		pb_engine_lock();
		error = apply(&r);
		pb_engine_unlock();
	}
	r.tails.handle = -EBADF;
	pb_text_queue_free(&r.tails);
	pb_text_queue_free(&r.sites);
	return error ? error : count;
}

int pb_private_look_at_sites(void (*visit)(const struct patchbay_site_info *site,
					   void *arg),
			     void *arg)
{
	if (pb_modules_trylock())
		return -EBUSY;
	for (const struct pb_module *m = pb_modules; m; m = m->next)
		pb_changed_sites(m, visit, arg);
	pb_modules_unlock();
	return 0;
}

static void tell(const struct patchbay_site_info *site, void *arg)
{
	(void)arg;
	told(site);
}

void pb_changed_tell(const struct pb_module *module)
{
	if (__atomic_load_n(&told, __ATOMIC_ACQUIRE))
		pb_changed_sites(module, tell, NULL);
}

int pb_private_on_changed(void (*func)(const struct patchbay_site_info *site))
{
	void (*none)(const struct patchbay_site_info *) = NULL;

	return __atomic_compare_exchange_n(&told, &none, func, 0, __ATOMIC_RELEASE,
					   __ATOMIC_RELAXED) ?
		       0 :
		       -EBUSY;
}
