/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The symbol table of an ELF file of this process's own class and byte order.
 * Nothing in the file is trusted: what does not fit its size is not there.
 */
#ifndef PB_CORE_ELF_FILE_H
#define PB_CORE_ELF_FILE_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

struct pb_elf_file {
	int fd;
	int error; /* 0 or -ENOMEM: something was not looked at */
	size_t size;
	uint64_t inode; /* as /proc/PID/maps has it; 0: not known */
	ElfW(Ehdr) header;
};

/*
 * Returns 0 or a negative errno; -ENOEXEC if @path is no such file. When it is
 * closed, it tells whether memory was lacking: then what was asked in between
 * did not look at everything.
 */
int pb_elf_open(struct pb_elf_file *file, const char *path);
int pb_elf_close(struct pb_elf_file *file);

/*
 * Is this the file that was loaded with these program headers and this GNU
 * build id, of @id_size bytes, 0 if it has none?
 */
int pb_elf_is(struct pb_elf_file *file, const void *phdrs, size_t phdrs_size,
	      const uint8_t *id, size_t id_size);

/*
 * Has llvm-bolt moved functions in it? It leaves the old code where it was, in a
 * section of its own, for nobody to execute, and what it does not know of, such
 * as our records, leads there still. Returns 1, 0, or -ENOEXEC if that cannot be
 * read.
 */
int pb_elf_is_rewritten(struct pb_elf_file *file);

/*
 * Call @visit for each defined function of .symtab, or else of .dynsym. Returns 0
 * if it could not be read whole, else 1; also if there is none.
 */
int pb_elf_for_each_function(struct pb_elf_file *file,
			     void (*visit)(const char *name, uint64_t value,
					   void *arg),
			     void *arg);

#endif /* PB_CORE_ELF_FILE_H */
