/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "names/elf_file.h"
#include "system/memory.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NATIVE_DATA ELFDATA2LSB
#else
#define NATIVE_DATA ELFDATA2MSB
#endif
#define NATIVE_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)

/*
 * Symbol tables may be large, and are needed only for a moment. pb_free() would keep that much
 * memory (system/memory.c, KEPT_MAX), so blocks from this size on are mapped.
 */
#define LARGE 0x10000

static void *allocate(size_t size)
{
	void *bytes;

	if (size < LARGE)
		return pb_malloc(size);
	bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return bytes == MAP_FAILED ? NULL : bytes;
}

static void release(void *bytes, size_t size)
{
	if (size < LARGE)
		pb_free(bytes);
	else if (bytes)
		munmap(bytes, size);
}

/*
 * Read @nr elements of @each bytes at @offset. Returns NULL if the file is too short. The data
 * are copied, because access to a mapping would end the process (SIGBUS) if the file were
 * truncated.
 */
static void *get(struct pb_elf_file *file, uint64_t offset, uint64_t nr,
		 uint64_t each)
{
	size_t size = (size_t)(nr * each), done = 0;
	char *bytes;

	if (offset > file->size || nr > (file->size - offset) / each)
		return NULL;
	bytes = allocate(size + 1);
	if (!bytes)
		file->error = -ENOMEM;
	while (bytes && done < size) {
		ssize_t more = pread(file->fd, bytes + done, size - done,
				     (off_t)(offset + done));

		if (more < 0 && errno == EINTR)
			continue;
		if (more <= 0) {
			release(bytes, size + 1);
			return NULL;
		}
		done += (size_t)more;
	}
	return bytes;
}

/* Free the result of get(). */
static void drop(void *bytes, uint64_t nr, uint64_t each)
{
	release(bytes, (size_t)(nr * each) + 1);
}

/*
 * Is the file on overlayfs? Until about Linux 6.7, /proc/PID/maps has the inode number of the
 * underlying file, which may differ from that of stat(2).
 */
static int is_overlay(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == OVERLAYFS_SUPER_MAGIC;
}

int pb_elf_open(struct pb_elf_file *file, const char *path)
{
	ElfW(Ehdr) *header = NULL;
	struct stat st;
	int ok = 0;

	/* O_NONBLOCK, O_NOCTTY: the path may name a FIFO or a terminal by now. */
	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file->fd < 0)
		return -errno;
	file->error = 0;
	if (!fstat(file->fd, &st) && S_ISREG(st.st_mode)) {
		file->size = (size_t)st.st_size;
		file->inode = is_overlay(file->fd) ? 0 : st.st_ino;
		header = get(file, 0, 1, sizeof(*header));
	}
	if (header) {
		file->header = *header;
		ok = !memcmp(header->e_ident, ELFMAG, SELFMAG) &&
		     header->e_ident[EI_CLASS] == NATIVE_CLASS &&
		     header->e_ident[EI_DATA] == NATIVE_DATA;
		drop(header, 1, sizeof(*header));
	}
	if (!ok) {
		int error = pb_elf_close(file);

		return error ? error : -ENOEXEC;
	}
	return 0;
}

int pb_elf_close(struct pb_elf_file *file)
{
	close(file->fd);
	return file->error;
}

/* Does a note segment contain the bytes of @id? This does not parse the notes. */
static int has_id(struct pb_elf_file *file, const ElfW(Phdr) *ph,
		  const uint8_t *id, size_t id_size)
{
	char *notes;
	int found;

	if (ph->p_type != PT_NOTE)
		return 0;
	notes = get(file, ph->p_offset, ph->p_filesz, 1);
	found = notes && memmem(notes, ph->p_filesz, id, id_size);
	drop(notes, ph->p_filesz, 1);
	return found;
}

int pb_elf_is(struct pb_elf_file *file, const void *phdrs, size_t phdrs_size,
	      const uint8_t *id, size_t id_size)
{
	size_t nr = file->header.e_phnum;
	ElfW(Phdr) *ph = get(file, file->header.e_phoff, nr, sizeof(*ph));
	int same = ph && phdrs_size == nr * sizeof(*ph) &&
		   !memcmp(ph, phdrs, phdrs_size);

	if (same && id_size) {
		same = 0;
		for (size_t i = 0; i < nr && !same; i++)
			same = has_id(file, &ph[i], id, id_size);
	}
	drop(ph, nr, sizeof(*ph));
	return same;
}

/*
 * Read the section headers, and store their number. Returns NULL if the file has no headers
 * (*@nr is 0), or if the headers cannot be read (*@nr is not 0). The number of SHN_LORESERVE
 * sections or more is in the first section header (elf(5), e_shnum and e_shstrndx).
 */
static ElfW(Shdr) *get_sections(struct pb_elf_file *file, size_t *nr)
{
	const uint64_t at = file->header.e_shoff;
	ElfW(Shdr) *first = NULL;

	*nr = 0;
	if (file->header.e_shentsize != sizeof(*first) || !at)
		return NULL;
	*nr = file->header.e_shnum;
	if (!*nr) {
		*nr = 1;
		first = get(file, at, 1, sizeof(*first));
		if (!first)
			return NULL;
		*nr = first->sh_size;
		drop(first, 1, sizeof(*first));
	}
	return *nr ? get(file, at, *nr, sizeof(*first)) : NULL;
}

int pb_elf_is_rewritten(struct pb_elf_file *file)
{
	static const char moved[] = ".bolt.org.text";
	size_t nr, size = 0;
	ElfW(Shdr) *sh = get_sections(file, &nr);
	size_t at = file->header.e_shstrndx;
	char *names = NULL;
	int found = 0;

	if (sh && at == SHN_XINDEX)
		at = sh[0].sh_link;
	/* In a file without section names, no section has the name @moved. */
	if (sh && at != SHN_UNDEF) {
		size = at < nr ? sh[at].sh_size : 0;
		names = size ? get(file, sh[at].sh_offset, size, 1) : NULL;
		found = names ? 0 : -ENOEXEC;
	} else if (nr && !sh) {
		found = -ENOEXEC;
	}
	for (size_t i = 0; names && i < nr && !found; i++)
		found = sh[i].sh_name < size &&
			size - sh[i].sh_name >= sizeof(moved) &&
			!memcmp(names + sh[i].sh_name, moved, sizeof(moved));
	drop(names, size, 1);
	drop(sh, nr, sizeof(*sh));
	return found;
}

static int visit_table(struct pb_elf_file *file, const ElfW(Shdr) *table,
		       const ElfW(Shdr) *strings,
		       void (*visit)(const char *, uint64_t, void *), void *arg)
{
	size_t nr = table->sh_size / sizeof(ElfW(Sym)), size = strings->sh_size;
	ElfW(Sym) *symbols = get(file, table->sh_offset, nr, sizeof(*symbols));
	char *names = get(file, strings->sh_offset, size, 1);
	int whole = symbols && names && size && !names[size - 1];

	for (size_t i = 0; whole && i < nr; i++) {
		const ElfW(Sym) *s = &symbols[i];

		/* ELF64_ST_TYPE() works for both classes. */
		if (ELF64_ST_TYPE(s->st_info) == STT_FUNC &&
		    s->st_shndx != SHN_UNDEF && s->st_name < size)
			visit(names + s->st_name, s->st_value, arg);
	}
	drop(symbols, nr, sizeof(*symbols));
	drop(names, size, 1);
	return whole;
}

int pb_elf_for_each_function(struct pb_elf_file *file,
			     void (*visit)(const char *name, uint64_t value,
					   void *arg),
			     void *arg)
{
	const ElfW(Shdr) *table = NULL;
	size_t nr;
	ElfW(Shdr) *sh = get_sections(file, &nr);
	int whole = sh || !nr;

	for (size_t i = 0; sh && i < nr; i++)
		if (sh[i].sh_type == SHT_SYMTAB ||
		    (sh[i].sh_type == SHT_DYNSYM && !table))
			table = &sh[i];
	if (table)
		whole = table->sh_link < nr &&
			visit_table(file, table, &sh[table->sh_link], visit,
				    arg);
	drop(sh, nr, sizeof(*sh));
	return whole;
}
