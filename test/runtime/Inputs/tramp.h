/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the static calls of a test's own link unit in the tables that the linker has
 * made: the code of tramps and of branches to them.
 */
#ifndef TRAMP_H
#define TRAMP_H

#include <patchbay/static_call.h>

#include "../../../runtime/core/system/elf_note.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

struct unit_tables {
	const char *here;
	const struct patchbay_static_calls *calls;
};

static inline int find_tables(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct unit_tables *unit = arg;
	int here = 0;

	unit->calls = NULL;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		const char *start = (const char *)info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_LOAD)
			here |= unit->here >= start &&
				unit->here < start + ph->p_memsz;
		if (ph->p_type == PT_NOTE && !unit->calls)
			unit->calls = pb_elf_note(info, ph, PATCHBAY_NOTE_NAME,
						  PATCHBAY_NOTE_STATIC_CALLS,
						  &size);
	}
	return here;
}

static inline const struct patchbay_static_calls *tables_of_unit(void)
{
	static const char here;
	struct unit_tables unit = { &here, NULL };

	dl_iterate_phdr(find_tables, &unit);
	return unit.calls;
}

#define FROM(field) ((const void *)((const char *)&(field) + (field)))

static inline int is_key(const int32_t *field, const void *key)
{
	uintptr_t at = (uintptr_t)FROM(*field);
	uintptr_t flags = at & PATCHBAY_STATIC_CALL_FLAGS;

	at -= flags;
	if (flags & PATCHBAY_STATIC_CALL_IMPORTED)
		at = *(uintptr_t *)at;
	return at == (uintptr_t)key;
}

/* Returns this unit's tramp for @key. */
static inline const void *tramp_of(const struct static_call_key *key)
{
	const struct patchbay_static_calls *calls = tables_of_unit();
	const struct static_call_tramp_key *tramps = FROM(calls->tramps);

	for (uint32_t i = 0; i < calls->nr_tramps; i++)
		if (is_key(&tramps[i].key, key))
			return FROM(tramps[i].tramp);
	return NULL;
}

/*
 * Stores up to @max addresses of this unit's branches to the tramp. Returns their
 * number.
 */
static inline int sites_of(const struct static_call_key *key,
			   const unsigned char **sites, int max)
{
	const struct patchbay_static_calls *calls = tables_of_unit();
	const struct static_call_site *table = FROM(calls->sites);
	int nr = 0;

	for (uint32_t i = 0; i < calls->nr_sites && nr < max; i++)
		if (is_key(&table[i].key, key))
			sites[nr++] = FROM(table[i].addr);
	return nr;
}

/* Returns the displacement of a branch. */
static inline int displacement_of(const unsigned char *site)
{
#ifdef __x86_64__
	return *site == 0x0f ? 2 : 1;
#else
	(void)site;
	return 0;
#endif
}

static inline const void *branch_target(const unsigned char *site)
{
	int32_t word;

	memcpy(&word, site + displacement_of(site), sizeof(word));
#if defined(__x86_64__)
	return site + displacement_of(site) + 4 + word;
#elif defined(__aarch64__)
	return site + ((int32_t)((uint32_t)word << 6) >> 4);
#else
	return site + ((int32_t)((uint32_t)word << 6) >> 6 & ~3);
#endif
}

/* Does the tramp branch directly to its target? */
static inline int tramp_is_direct(const void *tramp)
{
#if defined(__x86_64__)
	return *(const unsigned char *)tramp == PATCHBAY_X86_64_TRAMP_DIRECT;
#elif defined(__aarch64__)
	unsigned int word;

	memcpy(&word, (const char *)tramp + PATCHBAY_AARCH64_TRAMP_BRANCH_OFFSET,
	       sizeof(word));
	return word != PATCHBAY_AARCH64_SITE_NOP;
#elif defined(__powerpc64__)
	unsigned int word;

	memcpy(&word, (const char *)tramp + PATCHBAY_PPC64_TRAMP_BRANCH_OFFSET,
	       sizeof(word));
	return word != PATCHBAY_PPC64LE_SITE_NOP;
#endif
}

#define has_direct_tramp(name) tramp_is_direct(tramp_of(&STATIC_CALL_KEY(name)))

/* Writes the byte of a debugger's breakpoint. Returns the old byte. */
static inline unsigned char write_text(const unsigned char *text,
				       unsigned char byte)
{
	int file = open("/proc/self/mem", O_RDWR);
	unsigned char before = *text;

	if (pwrite(file, &byte, 1, (off_t)text) != 1)
		perror("/proc/self/mem");
	close(file);
	return before;
}

#endif /* TRAMP_H */
