/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "modules/other_modules.h"

#include "arch/arch.h"
#include "system/elf_note.h"
#include "system/lock.h"
#include "system/memory.h"
#include "system/private.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/auxv.h>

int pb_module_is_whole(const struct dl_phdr_info *info, const struct patchbay_module *desc)
{
	return pb_elf_has(info, desc, PATCHBAY_MODULE_SIZE_MIN, PF_R) &&
	       pb_elf_has(info, desc, desc->size, PF_R) &&
	       pb_elf_has(info, pb_module_links(desc), pb_arch_links_size(desc),
			  PF_R | PF_W) &&
	       pb_elf_has(info, pb_desc_place(&desc->state), sizeof(struct patchbay_state),
			  PF_R | PF_W);
}

const struct patchbay_module *pb_module_noted(const struct dl_phdr_info *info,
					      const ElfW(Phdr) *segment)
{
	const struct patchbay_module_note *note = NULL;
	const struct patchbay_module *desc;
	size_t size;

	if (segment->p_type == PT_NOTE)
		note = pb_elf_note(info, segment, PATCHBAY_NOTE_NAME,
				   PATCHBAY_NOTE_MODULE, &size);
	if (!note || size < sizeof(*note))
		return NULL;
	desc = (const void *)((uintptr_t)&note->module +
			      (uintptr_t)(intptr_t)note->module);
	if ((uintptr_t)desc % _Alignof(struct patchbay_module) ||
	    !pb_elf_has(info, desc, sizeof(desc->abi_version), PF_R) ||
	    desc->abi_version != note->abi_version)
		return NULL;
	return desc->abi_version != PATCHBAY_ABI_VERSION || pb_module_is_whole(info, desc) ?
		       desc :
		       NULL;
}

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

/*
 * Modules in other namespaces of the loader (dlmopen(3)). They are not registered and cannot
 * be traced: such a namespace has its own C library, which ends threads without notice to this
 * library, although pb_thread is part of each thread. Handlers and unwinders would have to
 * use that C library instead of ours. So the library only reports such modules to the user. In
 * a forked child, or if the loader does not list its namespaces, the library reports none.
 */

/* Older versions of glibc list neither other namespaces nor a link map's program headers. */
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 36)

/* Static executables do not have dlinfo(). */
#pragma weak dlinfo

struct visitor {
	void (*visit)(const struct pb_private_other *other, void *arg);
	void *arg;
};

static void report_module(const struct visitor *visitor, const char *path,
			  const struct patchbay_module *desc)
{
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

static void look_at(const struct visitor *visitor, struct link_map *map)
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
		report_module(visitor, map->l_name, desc);
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
 * AT_PHDR has the headers of the file that was executed: the program, or the loader.
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
static int visit_other_namespaces(struct dl_phdr_info *program, size_t size, void *arg)
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

#endif

void pb_private_visit_others(void (*visit)(const struct pb_private_other *other,
					   void *arg),
			     void *arg)
{
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
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 36)
	if (dlinfo && !pb_is_forked && may_have_others())
		dl_iterate_phdr(visit_other_namespaces, &(struct visitor){ visit, arg });
#endif
}
