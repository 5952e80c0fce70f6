/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Visits of sites and names. The library calls a visitor without a lock: the visitor may call
 * the loader, and would deadlock with a constructor or destructor, which holds the loader's
 * lock and waits for the modules lock. So a visitor sees copies, which the library makes under
 * the modules lock, 64 at a time. If another thread unloads a module during the visit, the
 * library keeps the module's data until the visit ends.
 */
#include "modules/inspect.h"
#include "names/names.h"
#include "quiesce/quiesce.h"
#include "system/lock.h"
#include "system/memory.h"
#include "system/private.h"

#include <errno.h>
#include <stddef.h>

/* The number of sites or names that are copied at a time. */
#define MANY 64

/* The modules that are loaded when a visit begins. */
struct modules {
	struct pb_module **list;
	size_t nr;
};

static int begin_visit(struct modules *modules)
{
	size_t nr = 0;
	int error = 0;

	*modules = (struct modules){ 0 };
	/* Refuse calls in handlers: the visitor could wait for a thread that waits for this one. */
	if (pb_thread_inside() || pb_is_called_back())
		return -EDEADLK;
	pb_modules_lock();
	for (struct pb_module *m = pb_modules; m; m = m->next)
		nr++;
	modules->list = pb_malloc((nr + 1) * sizeof(struct pb_module *));
	if (modules->list)
		for (struct pb_module *m = pb_modules; m; m = m->next) {
			m->visitors++;
			modules->list[modules->nr++] = m;
		}
	else
		error = -ENOMEM;
	pb_modules_unlock();
	return error;
}

static void end_visit(struct modules *modules)
{
	pb_modules_lock();
	for (size_t i = 0; i < modules->nr; i++)
		modules->list[i]->visitors--;
	pb_modules_unlock();
	pb_free(modules->list);
}

/* A copy of a site. @cells: the index of its first tracer in copies.cells. */
struct copy {
	struct patchbay_site_info site;
	struct patchbay_record record;
	size_t cells;
};

struct copies {
	struct copy *copy;
	size_t nr, room;
	struct patchbay_cell *cells;
	size_t nr_cells, cells_room;
	int error;
};

/* Under the modules lock. Sets @copies->error if out of memory. */
static void add_copy(struct copies *copies, const struct patchbay_site_info *site)
{
	if (pb_grow(&copies->copy, &copies->room, copies->nr + 1, sizeof(*copies->copy)) ||
	    pb_grow(&copies->cells, &copies->cells_room, copies->nr_cells + site->nr_cells,
		    sizeof(*copies->cells))) {
		copies->error = -ENOMEM;
		return;
	}
	copies->copy[copies->nr++] = (struct copy){ .site = *site,
						    .record = pb_record_copy(site->record),
						    .cells = copies->nr_cells };
	for (size_t i = 0; i < site->nr_cells; i++)
		copies->cells[copies->nr_cells++] = site->cells[i];
}

static void free_copies(struct copies *copies)
{
	pb_free(copies->copy);
	pb_free(copies->cells);
}

/* Make the site of @copy point to the copies of its record and tracers. */
static const struct patchbay_site_info *show(const struct copies *copies, struct copy *copy)
{
	struct patchbay_site_info *site = &copy->site;

	site->record = &copy->record;
	site->cells = site->nr_cells ? &copies->cells[copy->cells] : NULL;
	for (size_t i = 0; i < site->nr_cells; i++)
		copies->cells[copy->cells + i].record = site->record;
	return site;
}

/* Copy the sites of @module from @first on, unless it was unloaded. */
static void copy_sites(struct copies *copies, struct pb_module *module, size_t first)
{
	copies->nr = copies->nr_cells = 0;
	pb_modules_lock();
	/* Ignore errors: if the module's file cannot be read, no function counts as moved. */
	if (!module->gone && !first)
		(void)pb_names_look(module, 0);
	for (size_t i = first; i < module->nr && i < first + MANY && !module->gone; i++) {
		struct patchbay_site_info site;

		pb_inspect_site(module, &module->records[i], &site);
		add_copy(copies, &site);
	}
	pb_modules_unlock();
}

static int visit_sites(struct copies *copies, struct pb_module *module,
		       int (*visit)(const struct patchbay_site_info *site, void *arg),
		       void *arg)
{
	int value = 0;

	for (size_t first = 0; first < module->nr && !value; first += MANY) {
		copy_sites(copies, module, first);
		for (size_t i = 0; i < copies->nr && !value; i++) {
			if (pb_module_is_gone(module))
				return 0;
			pb_visit_begin();
			value = visit(show(copies, &copies->copy[i]), arg);
			pb_visit_end();
		}
		value = value ? value : copies->error;
	}
	return value;
}

int patchbay_for_each_site(int (*visit)(const struct patchbay_site_info *site,
					void *arg),
			   void *arg)
{
	struct copies copies = { 0 };
	struct modules modules;
	int value = begin_visit(&modules);

	if (value)
		return value;
	for (size_t i = 0; i < modules.nr && !value; i++)
		value = visit_sites(&copies, modules.list[i], visit, arg);
	end_visit(&modules);
	free_copies(&copies);
	return value;
}

static void add_changed(const struct patchbay_site_info *site, void *arg)
{
	add_copy(arg, site);
}

int patchbay_rearm(void (*visit)(const struct patchbay_site_info *site, void *arg),
		   void *arg)
{
	struct copies copies = { 0 };
	struct modules modules;
	size_t nr = 0;
	int result = begin_visit(&modules);

	if (result)
		return result;
	pb_modules_lock();
	for (const struct pb_module *m = pb_modules; m; m = m->next)
		nr += pb_changed_sites(m, visit ? add_changed : NULL, &copies);
	result = pb_changed_rearm(nr);
	pb_modules_unlock();
	/* Show the sites as they were before they were armed again. */
	pb_visit_begin();
	for (size_t i = 0; i < copies.nr; i++)
		visit(show(&copies, &copies.copy[i]), arg);
	pb_visit_end();
	end_visit(&modules);
	result = result < 0 || !copies.error ? result : copies.error;
	free_copies(&copies);
	return result;
}

struct named {
	uintptr_t entry;
	const char *name;
};

/* Copy the names of @module from @first on, unless it was unloaded. */
static int copy_names(struct named named[MANY], struct pb_module *module, size_t first,
		      size_t *nr)
{
	int error = 0;

	pb_modules_lock();
	if (module->gone)
		*nr = 0;
	else
		error = pb_names_read(module, nr);
	for (size_t i = 0; i < MANY && first + i < *nr; i++)
		named[i].name = pb_names_get(module, first + i, &named[i].entry);
	pb_modules_unlock();
	return error;
}

static int visit_names(struct pb_module *module,
		       int (*visit)(uintptr_t entry, const char *name, void *arg),
		       void *arg)
{
	struct named named[MANY];
	size_t first = 0, nr;
	int value;

	do {
		value = copy_names(named, module, first, &nr);
		for (size_t i = 0; i < MANY && first + i < nr && !value; i++) {
			if (pb_module_is_gone(module))
				return 0;
			if (!named[i].name)
				continue;
			pb_visit_begin();
			value = visit(named[i].entry, named[i].name, arg);
			pb_visit_end();
		}
		first += MANY;
	} while (first < nr && !value);
	return value;
}

int patchbay_for_each_name(int (*visit)(uintptr_t entry, const char *name,
					void *arg),
			   void *arg)
{
	struct modules modules;
	int value = begin_visit(&modules);

	if (value)
		return value;
	for (size_t i = 0; i < modules.nr && !value; i++)
		value = visit_names(modules.list[i], visit, arg);
	end_visit(&modules);
	return value;
}

/* A tracer's attach function calls this. The module's memory stays until that function returns. */
int pb_private_visit_names(const struct patchbay_module_info *info,
			   int (*visit)(uintptr_t entry, const char *name,
					void *arg),
			   void *arg)
{
	const size_t at = offsetof(struct pb_module, info);

	return visit_names((struct pb_module *)((char *)info - at), visit, arg);
}
