/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "modules/other_modules.h"

#include "modules/module_note.h"
#include "system/lock.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <sys/auxv.h>

/* Older versions of glibc list neither other namespaces nor a link map's program headers. */
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 36)

/* Static executables do not have dlinfo(). */
#pragma weak dlinfo

struct search {
	void (*visit)(const char *path, const struct patchbay_module *desc, void *arg);
	void *arg;
};

static void look_at(const struct search *search, struct link_map *map)
{
	const ElfW(Phdr) *segments;
	int nr = dlinfo(map, RTLD_DI_PHDR, &segments);
	const struct dl_phdr_info info = {
		.dlpi_addr = map->l_addr,
		.dlpi_phdr = segments,
		.dlpi_phnum = (ElfW(Half))nr,
	};
	const struct patchbay_module *desc = NULL;

	for (int i = 0; i < nr && !desc; i++)
		desc = pb_module_noted(&info, &segments[i]);
	if (desc)
		search->visit(map->l_name, desc, search->arg);
}

/* The loader's data for debuggers of @program, or NULL. */
static const struct r_debug_extended *debug_of(const struct dl_phdr_info *program)
{
	const ElfW(Dyn) *entry = NULL;

	for (int i = 0; i < program->dlpi_phnum; i++)
		if (program->dlpi_phdr[i].p_type == PT_DYNAMIC)
			entry = (const void *)(program->dlpi_addr +
					       program->dlpi_phdr[i].p_vaddr);
	while (entry && entry->d_tag != DT_NULL && entry->d_tag != DT_DEBUG)
		entry++;
	return entry && entry->d_tag == DT_DEBUG ? (const void *)entry->d_un.d_ptr :
						   NULL;
}

/*
 * May there be another namespace? Returns 0 only if there is surely none. Takes no lock: in a
 * program that loads and unloads all the time, a thread may wait long for the loader's locks.
 * AT_PHDR has the headers of the program, or those of the loader if that was executed.
 */
static int may_have_others(void)
{
	struct dl_phdr_info program = {
		.dlpi_phdr = (const void *)getauxval(AT_PHDR),
		.dlpi_phnum = (ElfW(Half))getauxval(AT_PHNUM),
	};
	const struct r_debug_extended *list = NULL;

	for (int i = 0; program.dlpi_phdr && i < program.dlpi_phnum; i++) {
		if (program.dlpi_phdr[i].p_type != PT_PHDR)
			continue;
		program.dlpi_addr =
			(ElfW(Addr))program.dlpi_phdr - program.dlpi_phdr[i].p_vaddr;
		list = debug_of(&program);
	}
	return !list || __atomic_load_n(&list->base.r_version, __ATOMIC_ACQUIRE) >= 2;
}

/*
 * dl_iterate_phdr() calls this first for the program, whose list of namespaces begins with
 * ours. The loader changes these lists only under the lock that dl_iterate_phdr() holds.
 */
static int visit_namespaces(struct dl_phdr_info *program, size_t size, void *arg)
{
	const struct r_debug_extended *list = debug_of(program);

	(void)size;
	/* A list of version 1 has no field r_next: there is only one namespace. */
	if (!list || list->base.r_version < 2)
		return 1;
	for (list = list->r_next; list; list = list->r_next)
		for (struct link_map *map = list->base.r_map; map; map = map->l_next)
			look_at(arg, map);
	return 1;
}

void pb_elsewhere_visit(void (*visit)(const char *path,
				      const struct patchbay_module *desc, void *arg),
			void *arg)
{
	struct search search = { visit, arg };

	if (dlinfo && !pb_is_forked && may_have_others())
		dl_iterate_phdr(visit_namespaces, &search);
}

#else

void pb_elsewhere_visit(void (*visit)(const char *path,
				      const struct patchbay_module *desc, void *arg),
			void *arg)
{
	(void)visit;
	(void)arg;
}

#endif
