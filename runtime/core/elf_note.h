/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Notes of a loaded module: its PT_NOTE segments, as dl_iterate_phdr() shows
 * them.
 */
#ifndef PB_CORE_ELF_NOTE_H
#define PB_CORE_ELF_NOTE_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * The descriptor of the first note of @owner and @type in @segment, a PT_NOTE
 * segment of @info, and its size; NULL if there is none.
 */
static inline const void *pb_elf_note(const struct dl_phdr_info *info,
				      const ElfW(Phdr) *segment,
				      const char *owner, ElfW(Word) type,
				      size_t *desc_size)
{
	uintptr_t at = info->dlpi_addr + segment->p_vaddr;
	size_t left = segment->p_memsz;

	/* What is padded otherwise has no note that we look for. */
	if (segment->p_align > 4)
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

#endif /* PB_CORE_ELF_NOTE_H */
