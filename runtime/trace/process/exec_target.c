/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "exec_target.h"

#include "system/sys.h"

#include <patchbay/abi.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* The ELF header of this library, defined by the linker. */
extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));

#define PATH_ROOM 256

static long read_at(int fd, void *to, size_t size, uint64_t offset)
{
	return pb_sys(SYS_pread64, fd, to, size, offset);
}

/* Reads up to @size - 1 bytes of a string. Returns 0 if there are none. */
static int read_string(int fd, char *to, size_t size, uint64_t offset)
{
	long length = read_at(fd, to, size - 1, offset);

	to[length > 0 ? length : 0] = '\0';
	return length > 0;
}

static int read_segment(int fd, const Elf64_Ehdr *head, unsigned int which,
			Elf64_Phdr *segment)
{
	return which < head->e_phnum &&
	       read_at(fd, segment, sizeof(*segment),
		       head->e_phoff + (uint64_t)which * head->e_phentsize) ==
		       sizeof(*segment);
}

static int find_segment(int fd, const Elf64_Ehdr *head, uint32_t type,
			Elf64_Phdr *segment)
{
	for (unsigned int i = 0; read_segment(fd, head, i, segment); i++)
		if (segment->p_type == type)
			return 1;
	return 0;
}

/* Returns the file offset of the byte that is loaded at @address, or 0. */
static uint64_t find_offset(int fd, const Elf64_Ehdr *head, uint64_t address)
{
	Elf64_Phdr segment;

	for (unsigned int i = 0; read_segment(fd, head, i, &segment); i++)
		if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
		    address - segment.p_vaddr < segment.p_filesz)
			return address - segment.p_vaddr + segment.p_offset;
	return 0;
}

/*===-- The loader -------------------------------------------------------===*/

/* A symbol version that only glibc's loader defines. */
static const char glibc_only[] = "GLIBC_PRIVATE";

static int has_mark(const char *data, size_t size)
{
	for (size_t i = 0; i + sizeof(glibc_only) <= size; i++)
		if (data[i] == glibc_only[0] &&
		    !memcmp(data + i, glibc_only, sizeof(glibc_only)))
			return 1;
	return 0;
}

/*
 * Is the file glibc's loader? Returns 1 for an unreadable file, which the kernel cannot
 * start, either.
 */
static int is_of_glibc(const char *path)
{
	int fd = (int)pb_sys(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	long size, data;
	int result = 1;

	if (fd < 0)
		return 1;
	size = pb_sys(SYS_lseek, fd, 0L, SEEK_END);
	data = size > 0 ? pb_sys(SYS_mmap, 0L, size, PROT_READ, MAP_PRIVATE, fd,
				 0L) :
			  -1;
	pb_sys(SYS_close, fd);
	if (data < 0 && data >= -4095)
		return 1;
	result = has_mark((const char *)data, (size_t)size);
	pb_sys(SYS_munmap, data, size);
	return result;
}

/*
 * Sets *@path to the loader of this process, or "" if the user has executed the loader
 * directly.
 */
static void find_own_loader(const char **path)
{
	const Elf64_Phdr *segment = (const Elf64_Phdr *)getauxval(AT_PHDR);
	const unsigned long nr = getauxval(AT_PHNUM);
	uintptr_t base = 0;

	*path = "";
	for (unsigned long i = 0; segment && i < nr; i++) {
		if (segment[i].p_type == PT_PHDR)
			base = (uintptr_t)segment - segment[i].p_vaddr;
		if (segment[i].p_type == PT_INTERP)
			*path = (const char *)(base + segment[i].p_vaddr);
	}
}

/*===-- Sanitizers -------------------------------------------------------===*/

int pb_exec_is_first(const char *name, const char *end)
{
	static const char known[][20] = { "libasan.so", "libhwasan.so",
					  "libclang_rt.asan",
					  "libclang_rt.hwasan" };
	const char *base = name;

	for (const char *c = name; c != end && *c; c++)
		if (*c == '/')
			base = c + 1;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strncmp(base, known[i], strlen(known[i])))
			return 1;
	return 0;
}

/* Sets @first to the name of the needed library that must be loaded first, or "". */
static void find_first(int fd, const Elf64_Ehdr *head, char *first, size_t room)
{
	Elf64_Phdr dynamic;
	Elf64_Dyn entry;
	uint64_t strings = 0;

	if (!find_segment(fd, head, PT_DYNAMIC, &dynamic))
		return;
	/* The first pass finds the string table, the second reads the names. */
	for (int names = 0; names < 2; names++)
		for (uint64_t at = 0; at < dynamic.p_filesz; at += sizeof(entry)) {
			if (read_at(fd, &entry, sizeof(entry),
				    dynamic.p_offset + at) != sizeof(entry) ||
			    entry.d_tag == DT_NULL)
				break;
			if (!names && entry.d_tag == DT_STRTAB)
				strings = find_offset(fd, head, entry.d_un.d_ptr);
			if (!names || entry.d_tag != DT_NEEDED || !strings)
				continue;
			if (read_string(fd, first, room,
					strings + entry.d_un.d_val) &&
			    pb_exec_is_first(first, NULL))
				return;
		}
	first[0] = '\0';
}

/*===-- Notes -------------------------------------------------------------===*/

static int is_patchbay_note(int fd, const Elf64_Nhdr *note, uint64_t at)
{
	static const char owner[] = PATCHBAY_NOTE_NAME;
	char name[sizeof(owner)];

	return note->n_namesz == sizeof(owner) &&
	       read_at(fd, name, sizeof(name), at + sizeof(*note)) == sizeof(name) &&
	       !memcmp(name, owner, sizeof(owner));
}

/* Has the plugin compiled a part of the program? */
static int has_patchbay_note(int fd, const Elf64_Ehdr *head)
{
	Elf64_Phdr segment;
	Elf64_Nhdr note;

	for (unsigned int i = 0; read_segment(fd, head, i, &segment); i++) {
		const uint64_t end = segment.p_offset + segment.p_filesz;
		const uint64_t align = segment.p_align == 8 ? 8 : 4;

		if (segment.p_type != PT_NOTE)
			continue;
		for (uint64_t at = segment.p_offset;
		     at < end && read_at(fd, &note, sizeof(note), at) == sizeof(note);) {
			if (is_patchbay_note(fd, &note, at))
				return 1;
			at += sizeof(note) + ((note.n_namesz + (uint64_t)3) & -(uint64_t)4);
			at = (at + note.n_descsz + align - 1) & -align;
		}
	}
	return 0;
}

/*===-- Programs ---------------------------------------------------------===*/

static void look_at_elf(int fd, const Elf64_Ehdr *head,
			struct pb_exec_target *target)
{
	char loader[PATH_ROOM];
	const char *own;
	Elf64_Phdr segment;

	if (head->e_ident[EI_CLASS] != __ehdr_start.e_ident[EI_CLASS] ||
	    head->e_ident[EI_DATA] != __ehdr_start.e_ident[EI_DATA] ||
	    head->e_machine != __ehdr_start.e_machine) {
		target->is_foreign = 1;
		return;
	}
	target->has_functions = has_patchbay_note(fd, head);
	target->is_static = !find_segment(fd, head, PT_INTERP, &segment);
	if (target->is_static ||
	    !read_string(fd, loader, sizeof(loader), segment.p_offset))
		return;
	find_own_loader(&own);
	target->is_foreign = strcmp(loader, own) && !is_of_glibc(loader);
	if (!target->is_foreign)
		find_first(fd, head, target->first, sizeof(target->first));
}

/*
 * Sets *@path to the interpreter in the line "#! /path argument". Returns 0 if there is
 * none.
 */
static int find_interpreter(char *line, const char **path)
{
	char *end;

	line += 2;
	line += strspn(line, " \t");
	end = line + strcspn(line, " \t\n");
	*end = '\0';
	*path = line;
	return end != line;
}

void pb_exec_look(int folder, const char *path, int flags,
		  struct pb_exec_target *target)
{
	union {
		Elf64_Ehdr elf;
		char line[PATH_ROOM];
	} head;

	*target = (struct pb_exec_target){ 0 };
	/* At most as many scripts as in the kernel (BINPRM_MAX_RECURSION). */
	for (int depth = 0; depth < 5; depth++) {
		/*
		 * Only the kernel reads @path, because the pointer may be invalid (EFAULT).
		 */
		int fd = (int)pb_sys(SYS_openat, folder, path,
				     O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		int is_elf, is_script;

		/* With AT_EMPTY_PATH, @folder is a descriptor of the program. */
		if (fd == -ENOENT && flags & AT_EMPTY_PATH && !path[0])
			fd = (int)pb_sys(SYS_dup, folder);
		if (fd < 0)
			return;
		is_script = read_string(fd, head.line, sizeof(head.line), 0) &&
			    head.line[0] == '#' && head.line[1] == '!';
		is_elf = !memcmp(head.elf.e_ident, ELFMAG, SELFMAG);
		if (is_elf)
			look_at_elf(fd, &head.elf, target);
		pb_sys(SYS_close, fd);
		if (!is_script || !find_interpreter(head.line, &path))
			return;
		folder = AT_FDCWD;
	}
}
