/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "modules/other_modules.h"

#include "system/lock.h"
#include "system/memory.h"
#include "system/private.h"

#include <dlfcn.h>
#include <string.h>

/*
 * Returns the loader's link map of the module that contains @desc, or NULL. _dl_find_object()
 * is made for unwinders: it is async-signal-safe and never waits (The GNU C Library Reference
 * Manual, "Dynamic Linker Introspection"; since 2.35).
 */
static const void *loaded_as(const struct patchbay_module *desc)
{
#ifdef DLFO_STRUCT_HAS_EH_DBASE
	struct dl_find_object found;

	if (!_dl_find_object((void *)(uintptr_t)desc, &found))
		return found.dlfo_link_map;
#else
	(void)desc;
#endif
	return NULL;
}

static struct pb_other **find_other(const struct patchbay_module *desc)
{
	struct pb_other **link = &pb_others;

	while (*link && (*link)->desc != desc)
		link = &(*link)->next;
	return link;
}

void pb_other_add(const struct patchbay_module *desc, const char *path,
		  size_t path_size)
{
	struct pb_other *other = pb_malloc(sizeof(*other) + path_size), **link;

	if (!other)
		return;
	*other = (struct pb_other){ .desc = desc,
				    .loaded_as = loaded_as(desc),
				    .version = desc->abi_version };
	memcpy(other->path, path, path_size);
	pb_modules_lock();
	link = find_other(desc);
	if (*link) {
		pb_free(other);
	} else {
		pb_engine_lock();
		*link = other;
		pb_engine_unlock();
	}
	pb_modules_unlock();
}

static void forget(struct pb_other **link)
{
	struct pb_other *other = *link;

	pb_engine_lock();
	*link = other->next;
	pb_engine_unlock();
	pb_free(other);
}

void pb_other_forget(const struct patchbay_module *desc)
{
	struct pb_other **link = find_other(desc);

	if (*link)
		forget(link);
}

int pb_other_is_loaded(const struct pb_other *other)
{
	return !other->loaded_as || loaded_as(other->desc) == other->loaded_as;
}

void pb_others_forget_unloaded(void)
{
	struct pb_other **link = &pb_others;

	pb_modules_lock();
	while (*link)
		if (pb_other_is_loaded(*link))
			link = &(*link)->next;
		else
			forget(link);
	pb_modules_unlock();
}

struct visitor {
	void (*visit)(const struct pb_private_other *other, void *arg);
	void *arg;
};

static void visit_elsewhere(const char *path, const struct patchbay_module *desc,
			    void *arg)
{
	const struct visitor *visitor = arg;
	struct pb_private_other other = { .why = PB_PRIVATE_OTHER_VERSION,
					  .number = desc->abi_version,
					  .path = path };

	if (desc->abi_version == PATCHBAY_ABI_VERSION) {
		const uintptr_t start = (uintptr_t)pb_desc_place(&desc->sites_start);
		const uintptr_t stop = (uintptr_t)pb_desc_place(&desc->sites_stop);

		other.why = PB_PRIVATE_OTHER_NAMESPACE;
		other.number = (unsigned int)((stop - start) / PATCHBAY_RECORD_SIZE);
	}
	visitor->visit(&other, visitor->arg);
}

void pb_private_visit_others(void (*visit)(const struct pb_private_other *other,
					   void *arg),
			     void *arg)
{
	struct visitor visitor = { visit, arg };

	pb_modules_lock();
	for (const struct pb_other *o = pb_others; o; o = o->next) {
		const struct pb_private_other other = {
			.why = PB_PRIVATE_OTHER_VERSION,
			.number = o->version,
			.path = o->path,
		};

		if (pb_other_is_loaded(o))
			visit(&other, arg);
	}
	pb_modules_unlock();
	pb_elsewhere_visit(visit_elsewhere, &visitor);
}
