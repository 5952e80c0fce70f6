/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The loaded modules. Registering one touches no record and no page of text;
 * everything else about it is found out when it is needed.
 */
#ifndef PB_CORE_MODULE_H
#define PB_CORE_MODULE_H

#include <patchbay/patchbay.h>

/*
 * The executable's file. Once the main thread has ended there is only the
 * second; and an emulator that runs one process may know only of the first.
 */
#define PB_EXE "/proc/self/exe"
#define PB_EXE_OF_THREAD "/proc/thread-self/exe"

struct pb_cell_chunk;
struct pb_name_index;
struct pb_shared;

struct pb_module {
	struct pb_module *next; /* stays when the module goes: see lock.h */
	const struct patchbay_module *desc;
	const struct patchbay_record *records;
	size_t nr;
	uintptr_t low, high;  /* readable and executable segments */
	void *reach;          /* pb_arch_map_reach() */
	struct pb_cell_chunk *cells;
	size_t nr_cells;
	struct pb_shared *shared; /* NULL: no functions share a cell */
	int unsettled;        /* cells await pb_wait(); see settle.c */
	int gone;
	unsigned char have_reach;
	unsigned char ordered; /* records by entry: in @order, NULL: as they are */
	unsigned char looked; /* at the file, which has not been rewritten */
	int unnamed;          /* names were wanted, and could not be read */
	const struct patchbay_record **order;
	uint64_t *twins;      /* a bit for each that is as one before; NULL: none */
	struct pb_name_index *names; /* of functions, once they were read */
	uint64_t unmapped;    /* of one that has gone: phase, see quiesce.h */
	struct pb_module *buried; /* the next one that has gone */
	size_t visitors;      /* threads that visit it, without a lock */
	const char *file;     /* what to open for its symbols */
	const void *phdrs;    /* as they were loaded */
	size_t phdrs_size;
	struct patchbay_module_info info;
	char path[];
};

/* All of them; see lock.h. */
extern struct pb_module *pb_modules;

/* Has it gone? Then its records and its text may be unmapped. */
static inline int pb_module_is_gone(const struct pb_module *module)
{
	return __atomic_load_n(&module->gone, __ATOMIC_RELAXED);
}

/*
 * A module of another version of the ABI, or with flags that we do not know. It is
 * left alone; its descriptor is not looked at but for the version.
 */
struct pb_other {
	struct pb_other *next;
	const struct patchbay_module *desc;
	const void *loaded_as; /* the loader's name for it, NULL: not known */
	uint32_t version;
	char path[];
};

/* All of these; see lock.h. */
extern struct pb_other *pb_others;

/*
 * patchbay_module_register() and patchbay_module_unregister() of this copy of the
 * library. -EBUSY: another copy has the module.
 */
int pb_module_register(const struct patchbay_module *desc)
	__attribute__((visibility("hidden")));
int pb_module_unregister(const struct patchbay_module *desc)
	__attribute__((visibility("hidden")));

/*
 * Free leftovers of unloaded modules that no thread can see any more.
 * Does not wait. The caller holds the caller lock and the change lock: the owner of
 * either may have a module in hand.
 */
void pb_modules_reap(void);

/* What a field of a descriptor leads to, which is relative to itself. */
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

/* A copy, for callbacks: without what is relative to the record's own address. */
static inline struct patchbay_record
pb_record_copy(const struct patchbay_record *record)
{
	struct patchbay_record copy = *record;

	copy.entry = copy.site = 0;
	return copy;
}

/* How far behind the entry is the site? */
static inline intptr_t pb_record_behind(const struct patchbay_record *record)
{
	return (intptr_t)offsetof(struct patchbay_record, site) +
	       ((intptr_t)record->site - record->entry);
}

/* Has an entry at @addr a slot that can be read? Records may be damaged. */
static inline int pb_has_slot(const struct pb_module *module, uintptr_t addr)
{
	return addr >= module->low + PATCHBAY_PREFIX_SIZE && addr < module->high;
}

#endif /* PB_CORE_MODULE_H */
