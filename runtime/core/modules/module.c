/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "types/module.h"

#include "arch/arch.h"
#include "cells/cell.h"
#include "change/engine.h"
#include "modules/inspect.h"
#include "modules/live_view.h"
#include "modules/other_modules.h"
#include "names/names.h"
#include "quiesce/quiesce.h"
#include "system/elf_note.h"
#include "system/linux.h"
#include "system/lock.h"
#include "system/memory.h"
#include "system/raw_syscall.h"
#include "system/stats.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The note by which other processes find the list of modules. */
const struct pb_live pb_live = {
	.size = sizeof(struct pb_live),
	.layout = PB_LIVE_LAYOUT,
	.shared_layout = PB_LIVE_SHARED_LAYOUT,
	.generation = &pb_engine_generation,
	.modules = &pb_modules,
	.others = &pb_others,
	.stats = &pb_stats,
};

#define STRING(x) #x
#define NUMBER(x) STRING(x)

/* Linkers keep allocated notes, and readers find a note without symbols. */
__asm__(".pushsection .note.patchbay.runtime, \"a\", %note\n"
	"	.balign 4\n"
	"	.long 2f - 1f, 4f - 3f, " NUMBER(PATCHBAY_NOTE_RUNTIME) "\n"
	"1:	.asciz \"" PATCHBAY_NOTE_NAME "\"\n"
	"2:	.balign 4\n"
	"3:	.long " NUMBER(PB_LIVE_VERSION) "\n"
	"	.long pb_live - .\n"
	"4:	.balign 4\n"
	"	.popsection\n");

/* The module that contains @desc, as dl_iterate_phdr() describes it. */
struct found {
	const struct patchbay_module *desc;
	struct dl_phdr_info info;
	uintptr_t low, high;
	const uint8_t *build_id;
	size_t build_id_size;
};

static int find_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct found *found = arg;
	uintptr_t desc = (uintptr_t)found->desc;
	int here = 0;

	(void)size;
	found->build_id = NULL;
	found->build_id_size = 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + ph->p_vaddr;
		uintptr_t end = start + ph->p_memsz;

		if (ph->p_type == PT_NOTE && !found->build_id)
			found->build_id = pb_elf_note(info, ph, "GNU",
						      NT_GNU_BUILD_ID,
						      &found->build_id_size);
		here |= ph->p_type == PT_LOAD && desc >= start && desc < end;
	}
	/* The library reads slots, so ignore segments that are executable only. */
	pb_elf_range(info, PF_R | PF_X, &found->low, &found->high);
	found->info = *info;
	return here;
}

/*
 * Was the loader executed with the program @found as its argument? Then PB_EXE is the loader,
 * and AT_BASE of getauxval(3) is 0, although the program names a loader.
 */
static int is_run_by_loader(const struct found *found)
{
	for (int i = 0; !getauxval(AT_BASE) && i < found->info.dlpi_phnum; i++)
		if (found->info.dlpi_phdr[i].p_type == PT_INTERP)
			return 1;
	return 0;
}

/*
 * Store the absolute path of @name, without symbolic links. Returns its length, or 0.
 * realpath(3) would allocate from the program's heap. open(2) and close(2) would be
 * cancellation points, while the loader's lock is held.
 */
static size_t real_path(const char *name, char *path)
{
	const int fd = (int)pb_raw_syscall(SYS_openat, (const long[6]){
		AT_FDCWD, (long)name, O_PATH | O_CLOEXEC });
	/* snprintf() would need 2 KB of stack. */
	char link[32] = "/proc/thread-self/fd/"; /* and at most 10 digits */
	size_t end = strlen(link);
	int unit = 1;
	ssize_t length;

	if (fd < 0)
		return 0;
	while (unit <= fd / 10)
		unit *= 10;
	for (; unit; unit /= 10)
		link[end++] = (char)('0' + fd / unit % 10);
	link[end] = '\0';
	length = readlink(link, path, PATH_MAX - 1);
	pb_raw_syscall(SYS_close, (const long[6]){ fd });
	return length > 0 ? (size_t)length : 0;
}

/*
 * Store the absolute path of the module's file: the program may change its directory. The
 * loader has no name for the executable. Returns the size of the path.
 */
static size_t module_path(const struct found *found, char *path)
{
	const char *name = found->info.dlpi_name;
	ssize_t length = 0;

	if (is_run_by_loader(found) && (!name || !*name)) {
		pb_os_file_at((uintptr_t)found->desc, path);
		return strlen(path) + 1;
	} else if (!name || !*name) {
		length = readlink(PB_EXE, path, PATH_MAX - 1);
		if (length < 0)
			length = readlink(PB_EXE_OF_THREAD, path, PATH_MAX - 1);
	} else {
		length = *name != '/' ? (ssize_t)real_path(name, path) : 0;
		if (!length && strlen(name) < PATH_MAX)
			return strlen(strcpy(path, name)) + 1;
	}
	path[length > 0 ? length : 0] = '\0';
	return strlen(path) + 1;
}

static int check_desc(const struct patchbay_module *desc,
		      const struct found *found, uintptr_t start,
		      uintptr_t stop)
{
	if (desc->size < PATCHBAY_MODULE_SIZE_MIN || start > stop ||
	    (stop - start) % PATCHBAY_RECORD_SIZE ||
	    !pb_module_is_whole(&found->info, desc))
		return -EINVAL;
	/* If @start equals @stop, the module has no record, and both may have any value (abi.h). */
	if (start != stop &&
	    !pb_elf_has(&found->info, (const void *)start, stop - start, PF_R))
		return -EINVAL;
	return desc->flags ? -EPROTONOSUPPORT : 0;
}

/* @path: a buffer of PATH_MAX bytes, which would be too large for a small stack. */
static struct pb_module *new_module_at(const struct patchbay_module *desc,
				       char *path, int *error)
{
	struct found found = { .desc = desc };
	struct pb_module *module;
	size_t path_size;
	uintptr_t start, stop;

	*error = -EINVAL;
	if (!dl_iterate_phdr(find_module, &found))
		return NULL;
	path_size = module_path(&found, path);
	*error = -EPROTONOSUPPORT;
	if (desc->abi_version == PATCHBAY_ABI_VERSION) {
		start = (uintptr_t)pb_desc_place(&desc->sites_start);
		stop = (uintptr_t)pb_desc_place(&desc->sites_stop);
		*error = check_desc(desc, &found, start, stop);
	}
	if (*error == -EPROTONOSUPPORT)
		pb_other_add(desc, path, path_size);
	if (*error)
		return NULL;
	module = pb_calloc(1, sizeof(*module) + path_size + found.build_id_size);
	if (!module) {
		*error = -ENOMEM;
		return NULL;
	}
	memcpy(module->path, path, path_size);
	/* Copy the build id: callbacks may see it after the module is unmapped. */
	if (found.build_id)
		module->info.build_id = memcpy(module->path + path_size, found.build_id,
					       found.build_id_size);
	module->desc = desc;
	module->records = (const struct patchbay_record *)start;
	module->nr = (stop - start) / PATCHBAY_RECORD_SIZE;
	module->low = module->info.low = found.low;
	module->high = module->info.high = found.high;
	module->info.path = module->path;
	module->info.base = found.info.dlpi_addr;
	module->info.build_id_size = found.build_id_size;
	module->phdrs = found.info.dlpi_phdr;
	module->phdrs_size = found.info.dlpi_phnum * sizeof(*found.info.dlpi_phdr);
	/* PB_EXE works even if the executable has been replaced or removed meanwhile. */
	module->file = (found.info.dlpi_name && *found.info.dlpi_name) ||
				       is_run_by_loader(&found) ?
			       module->path :
			       PB_EXE;
	return module;
}

static struct pb_module *new_module(const struct patchbay_module *desc,
				    int *error)
{
	char *path = pb_malloc(PATH_MAX);
	struct pb_module *module;

	*error = -ENOMEM;
	module = path ? new_module_at(desc, path, error) : NULL;
	pb_free(path);
	return module;
}

/*
 * Modules that were loaded while another thread held the change lock. That thread registers
 * these modules before it unlocks.
 */
static struct pb_module *arrived;

/* The link to the module of @desc in a list, or the link at the list's end. */
static struct pb_module **find_link(struct pb_module **link,
				    const struct patchbay_module *desc)
{
	while (*link && (*link)->desc != desc)
		link = &(*link)->next;
	return link;
}

static int has_records(const struct pb_module *m, const struct pb_module *coming)
{
	while (m && m->records != coming->records)
		m = m->next;
	return m && coming->nr;
}

/*
 * Is @coming registered, or another module with its records? A linked module may have several
 * descriptors, each of which points to all records: llvm-objcopy --localize-hidden makes COMDAT
 * groups local. One descriptor is enough.
 */
static int is_known(const struct pb_module *coming)
{
	return *find_link(&pb_modules, coming->desc) || *find_link(&arrived, coming->desc) ||
	       has_records(pb_modules, coming) || has_records(arrived, coming);
}

/*
 * Unloaded modules whose cells a thread may be reading, or whose slots may still point to their
 * cells. Slots do so when a process exits: destructors run while other threads continue, and
 * the text stays.
 */
static struct pb_module *graveyard;

static int same_text(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct pb_module *module = arg;

	(void)size;
	return info->dlpi_addr == module->info.base &&
	       info->dlpi_phnum * sizeof(*info->dlpi_phdr) ==
		       module->phdrs_size;
}

static void free_module(struct pb_module *module)
{
	pb_may_allocate();
	pb_arch_unmap_reach(module->reach);
	pb_cells_free(module);
	pb_names_free(module);
	pb_free(module->order);
	pb_free(module->twins);
	pb_free(module);
}

/* Does a slot of @module point to a cell of @gone? */
static int leads_to(const struct pb_module *module,
		    const struct pb_module *gone)
{
	for (size_t i = 0; i < module->nr; i++) {
		uintptr_t entry = pb_record_entry(&module->records[i]);

		if (pb_has_slot(module, entry) &&
		    pb_is_cell(gone, pb_arch_slot(entry)))
			return 1;
	}
	return 0;
}

/*
 * May slots point to the cells of @gone? A module that is loaded again, for example @coming,
 * often gets its old address, but its slots are new.
 */
static int has_text(struct pb_module *gone, const struct pb_module *coming)
{
	if (coming->info.base == gone->info.base)
		return leads_to(coming, gone);
	for (const struct pb_module *m = pb_modules; m; m = m->next)
		if (m->info.base == gone->info.base)
			return leads_to(m, gone);
	return dl_iterate_phdr(same_text, gone);
}

/*
 * Start a grace period for the unloaded modules that no slot points to now: a thread that
 * loaded a slot before may still be in a trampoline. Stores the phase into these modules.
 */
static void note_unmapped(const struct pb_module *coming)
{
	uint64_t phase = 0;

	for (struct pb_module *gone = graveyard; gone; gone = gone->buried) {
		if (gone->unmapped || has_text(gone, coming))
			continue;
		if (!phase && pb_quiesce_begin(&phase))
			return;
		pb_engine_lock();
		gone->unmapped = phase;
		pb_engine_unlock();
	}
}

/*
 * Called while a module is being loaded, because only then the loader's lock is surely usable:
 * a forked child inherits a lock that another thread held, and nothing releases this lock. The
 * lock of dl_iterate_phdr() comes before the modules lock, so this function is its callback,
 * like call_locked() of static_call.c.
 */
static int with_modules_lock(struct dl_phdr_info *info, size_t size, void *coming)
{
	(void)info;
	(void)size;
	pb_modules_lock();
	note_unmapped(coming);
	pb_modules_unlock();
	return 1;
}

void pb_modules_reap(void)
{
	struct pb_module **link = &graveyard, *gone, *unseen = NULL;
	static int64_t looked;
	uint64_t last = 0, until;

	for (gone = graveyard; gone; gone = gone->buried)
		if (gone->unmapped > last)
			last = gone->unmapped;
	until = last ? pb_over_until(last, &looked) : 0;
	pb_engine_lock();
	while (last && (gone = *link)) {
		if (!gone->unmapped || gone->unmapped > until || gone->visitors) {
			link = &gone->buried;
			continue;
		}
		*link = gone->buried;
		gone->buried = unseen;
		unseen = gone;
	}
	pb_engine_unlock();
	while ((gone = unseen)) {
		unseen = gone->buried;
		free_module(gone);
	}
}

/* An address that no other copy of this library has. */
#define OURSELVES ((uintptr_t)&pb_live)

/* Record this library as the owner of the module. -EBUSY: another copy has the module. */
static int take_module(const struct patchbay_module *desc)
{
	struct patchbay_state *state = pb_desc_place(&desc->state);

	if (!pb_compare_and_swap(&state->owner, 0, OURSELVES))
		return -EBUSY;
	if (pb_module_links(desc)->module_unregister ==
	    (uintptr_t)pb_module_unregister)
		__atomic_store_n(&state->late, 1, __ATOMIC_RELEASE);
	return 0;
}

/* Register the modules that have arrived. The caller holds the change lock. */
static void add_arrived(void)
{
	struct pb_module *module;

	while ((module = arrived)) {
		pb_engine_lock();
		arrived = module->next;
		module->next = NULL;
		*find_link(&pb_modules, module->desc) = module;
		pb_engine_unlock();
		pb_engine_module_added(module);
	}
}

int pb_module_register(const struct patchbay_module *desc)
{
	struct pb_module *module;
	int error;

	pb_others_forget_unloaded();
	/* Ask the loader before a lock is taken. */
	module = new_module(desc, &error);
	if (!module)
		return error;
	pb_os_stay_loaded();
	pb_readers_init();
	dl_iterate_phdr(with_modules_lock, module);
	pb_modules_lock();
	pb_arch_init();
	error = is_known(module) ? -EALREADY : take_module(desc);
	if (error) {
		pb_modules_unlock();
		pb_free(module);
		return error;
	}
	pb_engine_lock();
	*find_link(&arrived, desc) = module;
	pb_engine_unlock();
	if (pb_change_trylock(add_arrived)) {
		pb_modules_unlock();
		return 0;
	}
	add_arrived();
	/* If another thread holds the caller lock, that thread calls pb_modules_reap() later. */
	if (!pb_caller_trylock()) {
		pb_modules_reap();
		pb_caller_unlock();
	}
	pb_change_unlock();
	return 0;
}

/* Remove the module of @desc from a list and return it, or NULL. */
static struct pb_module *take_off(struct pb_module **list,
				  const struct patchbay_module *desc)
{
	struct pb_module **link = find_link(list, desc), *module = *link;

	if (module) {
		struct patchbay_state *state = pb_desc_place(&desc->state);

		*link = module->next;
		__atomic_store_n(&state->late, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&state->owner, 0, __ATOMIC_RELEASE);
	}
	return module;
}

int pb_module_unregister(const struct patchbay_module *desc)
{
	struct pb_module *module, *unseen = NULL;

	pb_modules_lock();
	module = *find_link(&pb_modules, desc);
	if (module)
		pb_changed_tell(module);
	pb_engine_lock();
	module = take_off(&pb_modules, desc);
	if (module) {
		pb_engine_module_leaving(module);
		module->buried = graveyard;
		graveyard = module;
	} else {
		unseen = take_off(&arrived, desc);
	}
	pb_engine_unlock();
	if (!module && !unseen)
		pb_other_forget(desc);
	pb_modules_unlock();
	pb_free(unseen);
	return module || unseen ? 0 : -ENOENT;
}

/* Modules call these exported functions, unless another copy of the library interposes them. */
int patchbay_module_register(const struct patchbay_module *desc)
{
	return pb_module_register(desc);
}

int patchbay_module_unregister(const struct patchbay_module *desc)
{
	return pb_module_unregister(desc);
}
