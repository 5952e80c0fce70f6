/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Gives debuggers (struct r_debug in <link.h>) a circular list of modules. One module
 * exports 200,000 functions, whose common name has 16 MB, in a table that DT_HASH
 * describes. Other entries are not modules; each has four million more symbols in one
 * chain of DT_GNU_HASH. The loader itself uses its own list.
 */
#include <dlfcn.h>
#include <link.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { NR_MODULES = 64, NR_SYMBOLS = 200000, NAME = 16 << 20 };
enum { NR_FAKES = 200, CHAIN = (4 << 20) - 16, PAGE = 4096 };

static struct link_map copies[NR_MODULES];
static ElfW(Dyn) lies[8] = { { .d_tag = DT_NULL } };
static struct link_map fakes[NR_FAKES];
static uint32_t counts[2] = { 1, NR_SYMBOLS };

__attribute__((noinline)) long counted(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

static void *allocate(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		abort();
	return at;
}

static void add(int64_t tag, const void *value)
{
	static size_t nr;

	lies[nr].d_tag = tag;
	lies[nr++].d_un.d_ptr = (uintptr_t)value;
}

static void describe(uintptr_t base)
{
	ElfW(Sym) *symbols = allocate(NR_SYMBOLS * sizeof(*symbols));
	char *name = allocate(NAME);

	memset(name, 'a', NAME);
	for (size_t i = 0; i < NR_SYMBOLS; i++)
		symbols[i] = (ElfW(Sym)){
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = 1,
			.st_value = (uintptr_t)counted - base,
			.st_size = 1,
		};
	add(DT_SYMTAB, symbols);
	add(DT_STRTAB, name);
	add(DT_STRSZ, (void *)(uintptr_t)NAME);
	add(DT_HASH, counts);
}

/*
 * Maps a fake module. The tables are above the module, because a value below the
 * module's address counts as an offset.
 */
static void make_fake(size_t nr, const void *symbols, const uint32_t *table)
{
	char *at = mmap((void *)(uintptr_t)(0x10000000 + nr * 16 * PAGE), 2 * PAGE,
			PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	ElfW(Ehdr) *header = (ElfW(Ehdr) *)at;
	ElfW(Dyn) *dynamic = (ElfW(Dyn) *)(at + PAGE);

	if (at == MAP_FAILED)
		abort();
	memcpy(header->e_ident, ELFMAG, SELFMAG);
	header->e_ident[EI_CLASS] = ELFCLASS64;
	header->e_ident[EI_DATA] = ELFDATA2LSB;
	header->e_phoff = sizeof(*header);
	header->e_phentsize = sizeof(ElfW(Phdr));
	header->e_phnum = 1;
	*(ElfW(Phdr) *)(header + 1) = (ElfW(Phdr)){
		.p_type = PT_LOAD, .p_filesz = 2 * PAGE, .p_memsz = 2 * PAGE };
	dynamic[0] = (ElfW(Dyn)){ DT_SYMTAB, { (uintptr_t)symbols } };
	dynamic[1] = (ElfW(Dyn)){ DT_STRTAB, { (uintptr_t)symbols } };
	dynamic[2] = (ElfW(Dyn)){ DT_STRSZ, { PAGE } };
	dynamic[3] = (ElfW(Dyn)){ DT_GNU_HASH, { (uintptr_t)table } };
	fakes[nr] = (struct link_map){ .l_ld = dynamic, .l_name = "",
				       .l_next = &fakes[nr + 1] };
}

static void make_fakes(void)
{
	const void *symbols = allocate(CHAIN * sizeof(ElfW(Sym)));
	uint32_t *table = allocate((CHAIN + 16) * sizeof(*table));

	table[0] = 1; /* one bucket, which starts at the first symbol */
	table[5 + CHAIN - 1] = 1;
	for (size_t i = 0; i < NR_FAKES; i++)
		make_fake(i, symbols, table);
	fakes[NR_FAKES - 1].l_next = &copies[0];
}

int main(void)
{
	const ElfW(Dyn) *entry = _DYNAMIC;
	struct r_debug *debug;
	size_t nr = 0;

	while (entry->d_tag != DT_DEBUG)
		entry++;
	debug = (struct r_debug *)entry->d_un.d_ptr;
	for (const struct link_map *map = debug->r_map; map && nr < NR_MODULES; map = map->l_next) {
		copies[nr] = *map;
		copies[nr].l_next = &copies[nr + 1];
		nr++;
	}
	make_fakes();
	copies[nr - 1].l_next = &fakes[0];
	describe(copies[0].l_addr);
	copies[0].l_ld = lies;
	debug->r_map = &copies[0];
	puts("ready");
	fflush(stdout);
	for (long n = 0;; n = counted(n))
		poll(NULL, 0, 1);
}
