/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The loaded modules. The library reads a module's records and text when it first needs them,
 * not at registration.
 */
#pragma once

#include <patchbay/patchbay.h>

/*
 * The executable's file. After the main thread has ended only the second path works. An
 * emulator that runs one process may support only the first.
 */
#define PB_EXE "/proc/self/exe"
#define PB_EXE_OF_THREAD "/proc/thread-self/exe"

struct pb_cell_chunk;
struct pb_name_index;
struct pb_shared;

struct pb_module {
	struct pb_module *next; /* kept when the module is unloaded: see lock.h */
	const struct patchbay_module *desc;
	const struct patchbay_record *records;
	size_t nr;
	uintptr_t low, high;  /* the range of its readable and executable segments */
	void *reach;          /* pb_arch_map_reach() */
	struct pb_cell_chunk *cells;
	size_t nr_cells;
	struct pb_shared *shared; /* NULL: no functions share a cell */
	int unsettled;        /* cells await pb_wait(); see settle.c */
	int gone;
	unsigned char have_reach;
	unsigned char ordered; /* @order is set: the records by entry; NULL: already sorted */
	unsigned char looked; /* the file was read: no functions were moved */
	int unnamed;          /* its names could not be read */
	const struct patchbay_record **order;
	uint64_t *twins;      /* a bit for each record that equals an earlier one, or NULL */
	struct pb_name_index *names; /* NULL: not read yet */
	uint64_t unmapped;    /* the phase since which no slot points to it, or 0 */
	struct pb_module *buried; /* the next unloaded module */
	size_t visitors;      /* threads that visit its sites without a lock */
	const char *file;     /* the path to open for its symbols */
	const void *phdrs;    /* its program headers in memory */
	size_t phdrs_size;
	struct patchbay_module_info info;
	char path[];
};

/* All loaded modules; see lock.h. */
extern struct pb_module *pb_modules;

/* Was the module unloaded? Then its records and its text may be unmapped. */
static inline int pb_module_is_gone(const struct pb_module *module)
{
	return __atomic_load_n(&module->gone, __ATOMIC_RELAXED);
}

/*
 * A module with another ABI version, or with unknown flags, which the library does not trace.
 * Of the module's descriptor it reads only the version.
 */
struct pb_other {
	struct pb_other *next;
	const struct patchbay_module *desc;
	const void *loaded_as; /* the loader's link map, or NULL: unknown */
	uint32_t version;
	char path[];
};

/* All such modules; see lock.h. */
extern struct pb_other *pb_others;

/*
 * patchbay_module_register() and patchbay_module_unregister() of this copy of the library.
 * Both return -EBUSY if another copy has registered the module.
 */
int pb_module_register(const struct patchbay_module *desc)
	__attribute__((visibility("hidden")));
int pb_module_unregister(const struct patchbay_module *desc)
	__attribute__((visibility("hidden")));

/*
 * Free the memory of unloaded modules that no thread can reach. Does not wait. The caller
 * holds the caller lock and the change lock, so no other thread uses such a module.
 */
void pb_modules_reap(void);

/* The address that a field of a descriptor refers to. The field is an offset from itself. */
static inline void *pb_desc_place(const int64_t *field)
{
	return (void *)((uintptr_t)field + (uintptr_t)*field);
}

static inline const struct patchbay_links *
pb_module_links(const struct patchbay_module *desc)
{
	return (const struct patchbay_links *)pb_desc_place(&desc->links);
}

static inline uintptr_t pb_record_entry(const struct patchbay_record *record)
{
	return (uintptr_t)&record->entry + (uintptr_t)(intptr_t)record->entry;
}

static inline uintptr_t pb_record_site(const struct patchbay_record *record)
{
	return (uintptr_t)&record->site + (uintptr_t)(intptr_t)record->site;
}

/* A copy for callbacks, without entry and site, which are relative to the record's address. */
static inline struct patchbay_record
pb_record_copy(const struct patchbay_record *record)
{
	struct patchbay_record copy = *record;

	copy.entry = copy.site = 0;
	return copy;
}

/* Can the slot of an entry at @addr be read? Records may be damaged. */
static inline int pb_has_slot(const struct pb_module *module, uintptr_t addr)
{
	return addr >= module->low + PATCHBAY_PREFIX_SIZE && addr < module->high;
}
