/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program or a sanitizer may define its own malloc(), strdup() or read(), which may not
 * work before its constructors have run, but the loader initializes this library first. So
 * this constructor looks for calls in the libpatchbay libraries that the loader has bound
 * to functions outside of the C library, and binds these calls to the C library. The
 * bindings are permanent, because memory from one malloc() must not reach another free().
 *
 * The constructor does nothing after the start of a process, when this library may already
 * have memory from the program's malloc(). Code in this file calls no library functions.
 */
#include "system/sys.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#if defined(__x86_64__)
#define GLOB_DAT R_X86_64_GLOB_DAT
#define JUMP_SLOT R_X86_64_JUMP_SLOT
#elif defined(__aarch64__)
#define GLOB_DAT R_AARCH64_GLOB_DAT
#define JUMP_SLOT R_AARCH64_JUMP_SLOT
#elif defined(__powerpc64__)
#define GLOB_DAT R_PPC64_GLOB_DAT
#define JUMP_SLOT R_PPC64_JMP_SLOT
#elif defined(__riscv)
#define GLOB_DAT R_RISCV_64
#define JUMP_SLOT R_RISCV_JUMP_SLOT
/*
 * On this architecture the loader passes a function to resolvers, which this file cannot
 * do.
 */
#define NO_RESOLVERS
#endif

/* If libpatchbay is built with a sanitizer, the sanitizer must intercept its calls. */
#ifdef PB_CORE_SANITIZED
#define IS_WANTED 0
#else
#define IS_WANTED 1
#endif

/* The dynamic table of a loaded file, and its address range. */
struct object {
	uintptr_t base, end;
	const char *strings, *name;
	const Elf64_Sym *symbols;
	const uint32_t *hash;
	const Elf64_Half *versions;
	const Elf64_Verneed *needed;
	const Elf64_Verdef *defined;
	const Elf64_Rela *rela, *plt;
	size_t rela_size, plt_size;
	uintptr_t relro, relro_end;
};

static int is_same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static int begins(const char *name, const char *with)
{
	while (*with && *name == *with)
		name++, with++;
	return !*with;
}

static void read_segments(struct object *object, uint64_t page_size)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)object->base;
	const Elf64_Phdr *segment =
		(const Elf64_Phdr *)(object->base + head->e_phoff);

	for (unsigned int i = 0; i < head->e_phnum; i++, segment++) {
		const uintptr_t start = object->base + segment->p_vaddr;
		const uintptr_t end = start + segment->p_memsz;

		if (segment->p_type == PT_LOAD && end > object->end)
			object->end = end;
		/* Rounds in the same way as the loader. */
		if (segment->p_type == PT_GNU_RELRO) {
			object->relro = start & -page_size;
			object->relro_end = end & -page_size;
		}
	}
}

/* Returns the address in @entry. Most loaders have replaced offsets by addresses. */
static uintptr_t address(const struct link_map *map, const Elf64_Dyn *entry)
{
	const uintptr_t value = entry->d_un.d_ptr;

	return value < map->l_addr ? map->l_addr + value : value;
}

static void read_dynamic(const struct link_map *map, struct object *object)
{
	static const struct {
		int64_t tag;
		uint32_t at, is_address;
	} fields[] = {
#define FIELD(tag, field, is_address) { tag, offsetof(struct object, field), is_address }
		FIELD(DT_SONAME, name, 0),	 FIELD(DT_STRTAB, strings, 1),
		FIELD(DT_SYMTAB, symbols, 1),	 FIELD(DT_GNU_HASH, hash, 1),
		FIELD(DT_VERSYM, versions, 1),	 FIELD(DT_VERNEED, needed, 1),
		FIELD(DT_VERDEF, defined, 1),	 FIELD(DT_RELA, rela, 1),
		FIELD(DT_RELASZ, rela_size, 0),	 FIELD(DT_JMPREL, plt, 1),
		FIELD(DT_PLTRELSZ, plt_size, 0),
	};
	uintptr_t name;

	for (size_t i = 0; i < sizeof(*object) / sizeof(uint64_t); i++)
		((pb_word *)object)[i] = 0;
	object->base = map->l_addr;
	for (const Elf64_Dyn *entry = map->l_ld; entry->d_tag; entry++)
		for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
			if (fields[i].tag == entry->d_tag)
				*(pb_word *)((char *)object + fields[i].at) =
					fields[i].is_address ? address(map, entry) :
							       entry->d_un.d_val;
	/* DT_SONAME is an offset in DT_STRTAB. */
	name = (uintptr_t)object->name;
	object->name = name && object->strings ? object->strings + name : "";
}

/*===-- Symbols ----------------------------------------------------------===*/

#define VERSION_MASK 0x7fff /* without VERSYM_HIDDEN */

/* Returns the hash of the C library version that a symbol needs, or 0. */
static uint32_t find_needed(const struct object *object, size_t symbol)
{
	const unsigned int version = object->versions[symbol] & VERSION_MASK;
	const Elf64_Verneed *file = object->needed;

	for (;; file = (const void *)((const char *)file + file->vn_next)) {
		const Elf64_Vernaux *aux =
			(const void *)((const char *)file + file->vn_aux);

		for (;; aux = (const void *)((const char *)aux + aux->vna_next)) {
			if (aux->vna_other == version)
				return is_same(object->strings + file->vn_file,
					       "libc.so.6") ?
					       aux->vna_hash :
					       0;
			if (!aux->vna_next)
				break;
		}
		if (!file->vn_next)
			return 0;
	}
}

static int has_version(const struct object *libc, size_t symbol, uint32_t hash)
{
	const unsigned int version = libc->versions[symbol] & VERSION_MASK;
	const Elf64_Verdef *def = libc->defined;

	for (;; def = (const void *)((const char *)def + def->vd_next)) {
		if (def->vd_ndx == version)
			return def->vd_hash == hash;
		if (!def->vd_next)
			return 0;
	}
}

/*
 * Looks up a symbol by DT_GNU_HASH. The table begins with the number of buckets, the first
 * symbol, the number of words of the Bloom filter, and its shift.
 */
static const Elf64_Sym *find_symbol(const struct object *libc, const char *name,
				    uint32_t version)
{
	const uint32_t *table = libc->hash;
	const uint32_t *buckets = table + 4 + 2 * table[2];
	const uint32_t *chains = buckets + table[0] - table[1];
	uint32_t hash = 5381, at;

	for (const char *c = name; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	at = buckets[hash % table[0]];
	for (; at; at++) {
		const Elf64_Sym *symbol = &libc->symbols[at];

		if (!((chains[at] ^ hash) >> 1) && symbol->st_shndx &&
		    is_same(libc->strings + symbol->st_name, name) &&
		    has_version(libc, at, version))
			return symbol;
		if (chains[at] & 1)
			return NULL;
	}
	return NULL;
}

#ifndef NO_RESOLVERS
static uintptr_t resolve(uintptr_t resolver)
{
	/*
	 * glibc's resolvers ignore their arguments and read the loader's data about the
	 * processor.
	 */
	return ((uintptr_t(*)(uint64_t, const void *))resolver)(0, NULL);
}
#endif

/* Returns the address of the function @name, or 0. */
static uintptr_t find_function(const struct object *libc, const char *name,
			       uint32_t version)
{
	const Elf64_Sym *symbol = find_symbol(libc, name, version);
	const unsigned int type = symbol ? ELF64_ST_TYPE(symbol->st_info) : STT_NOTYPE;

	if (type == STT_FUNC)
		return libc->base + symbol->st_value;
#ifndef NO_RESOLVERS
	if (type == STT_GNU_IFUNC)
		return resolve(libc->base + symbol->st_value);
#endif
	return 0;
}

/*===-- Relocations ------------------------------------------------------===*/

static int is_in(const struct object *object, uintptr_t code)
{
	return code >= object->base && code < object->end;
}

static void protect(const struct object *object, int protection)
{
	pb_sys(SYS_mprotect, object->relro, object->relro_end - object->relro,
	       protection);
}

struct loaded {
	struct object libc, ours[8];
	size_t nr;
};

/* Is @code outside of the C library and of the libpatchbay libraries? */
static int is_replaced(const struct loaded *loaded, uintptr_t code)
{
	if (!code || is_in(&loaded->libc, code))
		return 0;
	/*
	 * Calls of this library's own wrappers, such as fork(2), must stay bound to them.
	 */
	for (size_t i = 0; i < loaded->nr; i++)
		if (is_in(&loaded->ours[i], code))
			return 0;
	return 1;
}

static void bind(const struct loaded *loaded, const struct object *object,
		 const Elf64_Rela *rela, size_t size, int *is_writable)
{
	for (size_t i = 0; i < size / sizeof(*rela); i++) {
		const uint32_t type = ELF64_R_TYPE(rela[i].r_info);
		const size_t symbol = ELF64_R_SYM(rela[i].r_info);
		uintptr_t *slot = (uintptr_t *)(object->base + rela[i].r_offset);
		const char *name = object->strings + object->symbols[symbol].st_name;
		uintptr_t code;
		uint32_t version;

		if ((type != GLOB_DAT && type != JUMP_SLOT) || !symbol ||
		    object->symbols[symbol].st_shndx || rela[i].r_addend ||
		    (uintptr_t)slot < object->relro ||
		    (uintptr_t)slot >= object->relro_end ||
		    !is_replaced(loaded, *slot))
			continue;
		/* Sanitizers must intercept the creation of every thread. */
		if (is_same(name, "pthread_create"))
			continue;
		version = find_needed(object, symbol);
		code = version ? find_function(&loaded->libc, name, version) : 0;
		if (!code)
			continue;
		if (!*is_writable)
			protect(object, PROT_READ | PROT_WRITE);
		*is_writable = 1;
		*slot = code;
	}
}

/* Reads the page size from the auxiliary vector, which follows the environment. */
static uint64_t find_page_size(char **envp)
{
	const Elf64_auxv_t *entry;

	while (*envp)
		envp++;
	for (entry = (const Elf64_auxv_t *)(envp + 1); entry->a_type; entry++)
		if (entry->a_type == AT_PAGESZ)
			return entry->a_un.a_val;
	return 0;
}

static int is_whole(const struct object *object)
{
	return object->symbols && object->versions && object->relro_end;
}

/*
 * At the start of a process environ is still NULL, because glibc sets it after this
 * constructor.
 */
__attribute__((constructor(101))) static void bind_libc(int argc, char **argv,
							char **envp)
{
	static struct loaded loaded;
	const uint64_t page_size =
		!IS_WANTED || environ || !envp ? 0 : find_page_size(envp);

	(void)argc;
	(void)argv;
	if (!page_size)
		return;
	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
		struct object object;

		if (!map->l_addr || !map->l_ld)
			continue;
		read_dynamic(map, &object);
		if (is_same(object.name, "libc.so.6")) {
			read_segments(&object, page_size);
			pb_copy(&loaded.libc, &object, sizeof(object));
		} else if (begins(object.name, "libpatchbay") &&
			   loaded.nr < sizeof(loaded.ours) / sizeof(object)) {
			read_segments(&object, page_size);
			pb_copy(&loaded.ours[loaded.nr++], &object,
				sizeof(object));
		}
	}
	if (!loaded.libc.hash || !loaded.libc.defined || !is_whole(&loaded.libc))
		return;
	for (size_t i = 0; i < loaded.nr; i++) {
		const struct object *object = &loaded.ours[i];
		int is_writable = 0;

		if (!is_whole(object) || !object->needed)
			continue;
		bind(&loaded, object, object->rela, object->rela_size, &is_writable);
		bind(&loaded, object, object->plt, object->plt_size, &is_writable);
		if (is_writable)
			protect(object, PROT_READ);
	}
}
