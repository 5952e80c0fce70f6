/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Read the symbol table of an ELF file of this process's own class and byte order. The file
 * is not trusted: data beyond its size count as absent.
 */
#pragma once

#include <link.h>
#include <stddef.h>
#include <stdint.h>

struct pb_elf_file {
	int fd;
	int error; /* 0 or -ENOMEM: some data could not be read */
	size_t size;
	uint64_t inode; /* as in /proc/PID/maps; 0: unknown */
	ElfW(Ehdr) header;
};

/*
 * pb_elf_open() returns 0 or a negative errno; -ENOEXEC if @path is another kind of file.
 * pb_elf_close() returns -ENOMEM if an allocation has failed since: then results may be
 * incomplete.
 */
int pb_elf_open(struct pb_elf_file *file, const char *path);
int pb_elf_close(struct pb_elf_file *file);

/*
 * Is this the file that was loaded, with program headers @phdrs and the GNU build id @id, of
 * @id_size bytes? @id_size is 0 if the file has no build id.
 */
int pb_elf_is(struct pb_elf_file *file, const void *phdrs, size_t phdrs_size,
	      const uint8_t *id, size_t id_size);

/*
 * Has llvm-bolt moved functions in the file? llvm-bolt keeps the old code, which is never
 * executed, in a separate section, and does not update data that it does not know. So the
 * records point to the old code. Returns 1, 0, or -ENOEXEC if the sections cannot be read.
 */
int pb_elf_is_rewritten(struct pb_elf_file *file);

/*
 * Call @visit for each defined function of .symtab; without a .symtab, of .dynsym. Returns 0 if
 * the table could not be read completely, otherwise 1. A file without a table has no function.
 */
int pb_elf_for_each_function(struct pb_elf_file *file,
			     void (*visit)(const char *name, uint64_t value,
					   void *arg),
			     void *arg);
