/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "modules/inspect.h"

#include "cells/cell.h"
#include "cells/site.h"
#include "change/text_queue.h"
#include "modules/other_modules.h"
#include "system/attr.h"
#include "system/lock.h"
#include "system/private.h"
#include "system/stats.h"
#include "types/set.h"
#include "types/shared_cells.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* The callback of libpatchbay-trace, or NULL. */
static void (*told)(const struct patchbay_site_info *site);

static int has_tracers(const struct patchbay_cell *cell)
{
	return cell->ops && cell->set != &pb_set_nobody;
}

/* Does the site or the slot of a function with tracers differ from what the library wrote? */
static int is_changed(const struct pb_module *module, const struct patchbay_record *record,
		      int *can_arm)
{
	const struct pb_site site = pb_site_of(module, record);
	const int state = pb_site_state_of(module, &site);
	const int is_led = pb_is_led(module, record) > 0;

	*can_arm = state == PB_SITE_DISARMED && is_led;
	return state != PB_SITE_ARMED || !is_led;
}

/* A walk over the changed sites of a module. @can_arm: the last site can be armed again. */
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
		/* Use the recorded owner: other code may have changed the slot, too. */
		const unsigned int owner = pb_owner(module, i);

		if (owner >= PB_OWNER_FIRST &&
		    has_tracers(&module->shared->cells[owner].cell) &&
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
		/* If the site is as the library wrote it, the slot was changed. */
		if (site.state == PATCHBAY_SITE_DISARMED)
			site.state = PATCHBAY_SITE_CHANGED;
		if (visit)
			visit(&site, arg);
	}
	return nr;
}

/*
 * Queue patches for up to @nr changed sites. With @arm, queue the patches that arm the sites;
 * otherwise the patches that must precede these.
 */
static void queue_sites(struct pb_text_queue *text, size_t nr, int arm)
{
	const struct patchbay_record *record;

	for (const struct pb_module *m = pb_modules; m; m = m->next) {
		struct walk walk = start_walk(m);

		while (nr && (record = next_changed(&walk))) {
			const struct pb_site site = pb_site_of(m, record);
			struct pb_patch *patch = &text->patches[text->nr];

			if (!walk.can_arm || pb_arch_prepare(&site))
				continue;
			nr--;
			if (arm)
				pb_arch_flip(&site, 1, patch);
			text->nr += arm ? 1 :
					  (size_t)pb_arch_publish(
						  &site, pb_arch_slot(site.entry), patch);
		}
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

/* Write in the order of engine.c: first the code that a site branches to, then the sites. */
static int rearm(struct pb_text_queue *text, size_t nr)
{
	int error = text->handle < 0 ? text->handle : open_modules(text->handle);

	if (!error)
		error = pb_text_flush(text);
	if (!error)
		error = pb_sync_core();
	if (error)
		return error;
	queue_sites(text, nr, 1);
	nr = text->nr;
	error = pb_text_flush(text);
	return error ? error : nr > INT_MAX ? INT_MAX : (int)nr;
}

int pb_changed_rearm(size_t nr)
{
	struct pb_text_queue text = { .handle = -EBADF };
	int error = nr ? pb_text_queue_init(&text, nr * PB_PUBLISH_MAX, 1) : 0;

	if (error || !nr)
		return error;
	queue_sites(&text, nr, 0);
	text.handle = pb_text_open();
	pb_engine_lock();
	error = rearm(&text, nr);
	pb_engine_unlock();
	pb_text_queue_free(&text);
	return error;
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

static void report_site(const struct patchbay_site_info *site, void *arg)
{
	(void)arg;
	told(site);
}

void pb_changed_tell(const struct pb_module *module)
{
	if (__atomic_load_n(&told, __ATOMIC_ACQUIRE))
		pb_changed_sites(module, report_site, NULL);
}

int pb_private_on_changed(void (*func)(const struct patchbay_site_info *site))
{
	return pb_compare_and_swap(&told, NULL, func) ? 0 : -EBUSY;
}

void pb_inspect_site(const struct pb_module *module,
		     const struct patchbay_record *record,
		     struct patchbay_site_info *site)
{
	const struct patchbay_cell *cell = pb_cell_of(module, record);

	*site = (struct patchbay_site_info){
		.module = &module->info,
		.record = record,
		.entry = pb_record_entry(record),
		.state = pb_site_shown(module, record),
		.site = pb_record_site(record),
	};
	if (site->state == PATCHBAY_SITE_ARMED && cell && cell->ops)
		site->cells = pb_set_cells(cell, &site->nr_cells);
}

int patchbay_get_stats(struct patchbay_stats *stats)
{
	struct patchbay_stats now = { 0 };

	pb_engine_lock();
	for (const struct pb_module *m = pb_modules; m; m = m->next) {
		now.modules++;
		now.sites += m->nr;
		now.unnamed += (uint64_t)__atomic_load_n(&m->unnamed, __ATOMIC_RELAXED);
		pb_cells_weigh(m, &now.armed, &now.memory);
	}
	for (const struct pb_other *o = pb_others; o; o = o->next)
		now.others += (uint64_t)pb_other_is_loaded(o);
	now.batches = pb_stats.batches;
	now.membarriers = pb_stats.membarriers;
	now.text_writes = pb_stats.text_writes;
	memcpy(now.refused, pb_stats.refused, sizeof(now.refused));
	now.left = pb_stats.left;
	now.timeouts = pb_stats.timeouts;
	now.waited_for = pb_stats.waited_for;
	now.unseen = pb_stats.unseen;
	pb_engine_unlock();
	return pb_write_info(stats, &now, sizeof(now), PATCHBAY_STATS_SIZE_VER0);
}
