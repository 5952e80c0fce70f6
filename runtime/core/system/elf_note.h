/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Notes of a loaded module: its PT_NOTE segments, as dl_iterate_phdr() reports them. A file
 * may be damaged, so the library checks that the loader has mapped an address for this module
 * before it follows the address.
 */
#pragma once

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Are @size bytes at @at in a segment of @info that has all of @flags (PF_R and others)? */
static inline int pb_elf_has(const struct dl_phdr_info *info, const void *at, size_t size,
			     ElfW(Word) flags)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const uintptr_t offset = (uintptr_t)at - info->dlpi_addr - segment->p_vaddr;

		if (segment->p_type == PT_LOAD && !(flags & ~segment->p_flags) &&
		    offset <= segment->p_memsz &&
		    segment->p_memsz - offset >= size)
			return 1;
	}
	return 0;
}

/* The range of addresses of all segments that have all of @flags; 0 and 0 if none has. */
static inline void pb_elf_range(const struct dl_phdr_info *info, ElfW(Word) flags,
				uintptr_t *low, uintptr_t *high)
{
	*low = *high = 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const uintptr_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD || flags & ~segment->p_flags)
			continue;
		if (!*high || start < *low)
			*low = start;
		if (start + segment->p_memsz > *high)
			*high = start + segment->p_memsz;
	}
}

/*
 * Returns the contents of the first note of @owner and @type in @segment, a PT_NOTE segment of
 * @info, and stores the size. Returns NULL if there is no such note.
 */
static inline const void *pb_elf_note(const struct dl_phdr_info *info,
				      const ElfW(Phdr) *segment,
				      const char *owner, ElfW(Word) type,
				      size_t *desc_size)
{
	uintptr_t at = info->dlpi_addr + segment->p_vaddr;
	size_t left = segment->p_memsz;

	/*
	 * The notes that the library looks for have an alignment of 4. Some linkers (mold) put
	 * them into one segment with notes whose alignment is 8, and whose length is the same
	 * with either alignment. Segments with a larger alignment do not have these notes.
	 */
	if (segment->p_align > 8 || at % 4 || !pb_elf_has(info, (const void *)at, left, PF_R))
		return NULL;
	while (left >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)at;
		size_t name = (note->n_namesz + (size_t)3) & ~(size_t)3;
		size_t desc = (note->n_descsz + (size_t)3) & ~(size_t)3;
		size_t whole = sizeof(*note) + name + desc;

		if (whole > left)
			return NULL;
		if (note->n_type == type &&
		    note->n_namesz == strlen(owner) + 1 &&
		    !memcmp(note + 1, owner, note->n_namesz)) {
			*desc_size = note->n_descsz;
			return (const char *)(note + 1) + name;
		}
		at += whole;
		left -= whole;
	}
	return NULL;
}
