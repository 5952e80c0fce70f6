/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "elf_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NATIVE_DATA ELFDATA2LSB
#else
#define NATIVE_DATA ELFDATA2MSB
#endif
#define NATIVE_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)

/* @nr things of @each bytes at @offset, NULL unless all lie in the file. */
static const void *at(const struct pb_elf_file *file, uint64_t offset,
		      uint64_t nr, uint64_t each)
{
	if (offset > file->size || nr > (file->size - offset) / each)
		return NULL;
	return file->bytes + offset;
}

int pb_elf_open(struct pb_elf_file *file, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *bytes;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    (size_t)st.st_size < sizeof(ElfW(Ehdr))) {
		close(fd);
		return -ENOEXEC;
	}
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return -errno;
	file->bytes = bytes;
	file->size = (size_t)st.st_size;
	if (memcmp(file->bytes, ELFMAG, SELFMAG) ||
	    file->bytes[EI_CLASS] != NATIVE_CLASS ||
	    file->bytes[EI_DATA] != NATIVE_DATA) {
		pb_elf_close(file);
		return -ENOEXEC;
	}
	return 0;
}

void pb_elf_close(struct pb_elf_file *file)
{
	munmap((void *)file->bytes, file->size);
}

int pb_elf_is(const struct pb_elf_file *file, const void *phdrs,
	      size_t phdrs_size, const uint8_t *id, size_t id_size)
{
	const ElfW(Ehdr) *eh = (const void *)file->bytes;
	const ElfW(Phdr) *ph = at(file, eh->e_phoff, eh->e_phnum, sizeof(*ph));

	if (!ph || phdrs_size != eh->e_phnum * sizeof(*ph) ||
	    memcmp(ph, phdrs, phdrs_size))
		return 0;
	if (!id_size)
		return 1;
	for (int i = 0; i < eh->e_phnum; i++) {
		const unsigned char *notes;

		if (ph[i].p_type != PT_NOTE)
			continue;
		notes = at(file, ph[i].p_offset, ph[i].p_filesz, 1);
		/* The id's own bytes are proof enough. */
		if (notes && ph[i].p_filesz >= id_size &&
		    memmem(notes, ph[i].p_filesz, id, id_size))
			return 1;
	}
	return 0;
}

static void visit_table(const struct pb_elf_file *file, const ElfW(Shdr) *table,
			const ElfW(Shdr) *strings,
			void (*visit)(const char *, uint64_t, void *),
			void *arg)
{
	size_t nr = table->sh_size / sizeof(ElfW(Sym));
	const ElfW(Sym) *symbols =
		at(file, table->sh_offset, nr, sizeof(*symbols));
	const char *names = at(file, strings->sh_offset, strings->sh_size, 1);

	if (!symbols || !names || !strings->sh_size ||
	    names[strings->sh_size - 1])
		return;
	for (size_t i = 0; i < nr; i++) {
		const ElfW(Sym) *s = &symbols[i];

		/* The type is in the same place in both classes. */
		if (ELF64_ST_TYPE(s->st_info) == STT_FUNC &&
		    s->st_shndx != SHN_UNDEF && s->st_name < strings->sh_size)
			visit(names + s->st_name, s->st_value, arg);
	}
}

void pb_elf_for_each_function(const struct pb_elf_file *file,
			      void (*visit)(const char *name, uint64_t value,
					    void *arg),
			      void *arg)
{
	const ElfW(Ehdr) *eh = (const void *)file->bytes;
	const ElfW(Shdr) *sh = at(file, eh->e_shoff, eh->e_shnum, sizeof(*sh));
	const ElfW(Shdr) *table = NULL;

	if (!sh || eh->e_shentsize != sizeof(*sh))
		return;
	for (int i = 0; i < eh->e_shnum; i++)
		if (sh[i].sh_type == SHT_SYMTAB ||
		    (sh[i].sh_type == SHT_DYNSYM && !table))
			table = &sh[i];
	if (table && table->sh_link < eh->e_shnum)
		visit_table(file, table, &sh[table->sh_link], visit, arg);
}
