/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "module.h"

#include "cell.h"
#include "engine.h"
#include "arch.h"
#include "text.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pb_module *pb_modules;

/* What dl_iterate_phdr() knows of the module that @desc is in. */
struct found {
	const struct patchbay_module *desc;
	uintptr_t base, start, end, low, high;
	const uint8_t *build_id;
	size_t build_id_size;
	const char *name;
};

static void find_build_id(struct found *found, uintptr_t notes, size_t size)
{
	while (size >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)notes;
		size_t name = (note->n_namesz + 3u) & ~3u;
		size_t desc = (note->n_descsz + 3u) & ~3u;
		size_t whole = sizeof(*note) + name + desc;

		if (whole > size)
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    !memcmp(note + 1, "GNU", 4)) {
			found->build_id = (const uint8_t *)(note + 1) + name;
			found->build_id_size = note->n_descsz;
			return;
		}
		notes += whole;
		size -= whole;
	}
}

static int find_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct found *found = arg;
	uintptr_t desc = (uintptr_t)found->desc;
	int here = 0;

	(void)size;
	found->start = found->low = UINTPTR_MAX;
	found->end = found->high = 0;
	found->build_id = NULL;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + ph->p_vaddr;
		uintptr_t end = start + ph->p_memsz;

		if (ph->p_type == PT_NOTE && ph->p_align <= 4)
			find_build_id(found, start, ph->p_memsz);
		if (ph->p_type != PT_LOAD)
			continue;
		here |= desc >= start && desc < end;
		if (start < found->start)
			found->start = start;
		if (end > found->end)
			found->end = end;
		if (!(ph->p_flags & PF_X))
			continue;
		if (start < found->low)
			found->low = start;
		if (end > found->high)
			found->high = end;
	}
	found->base = info->dlpi_addr;
	found->name = info->dlpi_name;
	return here;
}

/* The file of the module; the loader has no name for the executable. */
static size_t module_path(const char *name, char *path, size_t size)
{
	ssize_t length;

	if (name && *name) {
		length = (ssize_t)strlen(name);
		if ((size_t)length < size)
			memcpy(path, name, (size_t)length);
		else
			length = 0;
	} else {
		length = readlink("/proc/self/exe", path, size - 1);
		if (length < 0)
			length = 0;
	}
	path[length] = '\0';
	return (size_t)length + 1;
}

static int check_desc(const struct patchbay_module *desc,
		      const struct found *found, uintptr_t start,
		      uintptr_t stop)
{
	if (desc->abi_version != PATCHBAY_ABI_VERSION)
		return -EPROTONOSUPPORT;
	if (desc->size < sizeof(*desc) || start > stop ||
	    (stop - start) % PATCHBAY_RECORD_SIZE)
		return -EINVAL;
	/* Equal: no record; they may be anywhere then (see abi.h). */
	if (start != stop && (start < found->start || stop > found->end))
		return -EINVAL;
	return 0;
}

static struct pb_module *new_module(const struct patchbay_module *desc,
				    int *error)
{
	struct found found = { .desc = desc };
	struct pb_module *module;
	char path[4096];
	size_t path_size;
	uintptr_t start, stop;

	start = (uintptr_t)&desc->sites_start + (uintptr_t)desc->sites_start;
	stop = (uintptr_t)&desc->sites_stop + (uintptr_t)desc->sites_stop;
	*error = -EINVAL;
	if (!dl_iterate_phdr(find_module, &found))
		return NULL;
	*error = check_desc(desc, &found, start, stop);
	if (*error)
		return NULL;
	path_size = module_path(found.name, path, sizeof(path));
	module = calloc(1, sizeof(*module) + path_size);
	if (!module) {
		*error = -ENOMEM;
		return NULL;
	}
	memcpy(module->path, path, path_size);
	module->desc = desc;
	module->records = (const struct patchbay_record *)start;
	module->nr = (stop - start) / PATCHBAY_RECORD_SIZE;
	module->low = found.low;
	module->high = found.high;
	module->info.path = module->path;
	module->info.base = found.base;
	module->info.build_id = found.build_id;
	module->info.build_id_size = found.build_id_size;
	return module;
}

static struct pb_module **find(const struct patchbay_module *desc)
{
	struct pb_module **link = &pb_modules;

	while (*link && (*link)->desc != desc)
		link = &(*link)->next;
	return link;
}

int patchbay_module_register(const struct patchbay_module *desc)
{
	/* The loader is asked before the lock is taken, not within it. */
	struct pb_module *module, **link;
	int error;

	module = new_module(desc, &error);
	if (!module)
		return error;
	pb_engine_lock();
	pb_arch_init();
	link = find(desc);
	if (*link) {
		pb_engine_unlock();
		free(module);
		return -EALREADY;
	}
	*link = module;
	pb_engine_module_added(module);
	pb_engine_unlock();
	return 0;
}

int patchbay_module_unregister(const struct patchbay_module *desc)
{
	struct pb_module *module, **link;

	pb_engine_lock();
	link = find(desc);
	module = *link;
	if (!module) {
		pb_engine_unlock();
		return -ENOENT;
	}
	/*
	 * The text may stay (RTLD_NODELETE, or the process is exiting while
	 * other threads run on), so it must not lead to cells that are gone.
	 * Where that cannot be made sure of, they are not freed.
	 */
	if (!pb_engine_module_leaving(module)) {
		*link = module->next;
		pb_cells_free(module);
		pb_arch_unmap_reach(module->reach);
		free(module);
	}
	pb_engine_unlock();
	return 0;
}
