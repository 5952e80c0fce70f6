/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tells debuggers (struct r_debug in <link.h>) of a list of modules that goes round in a
 * circle, and of a program that exports 200,000 functions, each of which has a name of 16 MB,
 * all the same, in a table that DT_HASH describes. Its loader goes by its own list.
 */
#include <dlfcn.h>
#include <link.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { NR_MODULES = 64, NR_SYMBOLS = 200000, NAME = 16 << 20 };

static struct link_map copies[NR_MODULES];
static ElfW(Dyn) lies[8] = { { .d_tag = DT_NULL } };
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
	copies[nr - 1].l_next = &copies[0];
	describe(copies[0].l_addr);
	copies[0].l_ld = lies;
	debug->r_map = &copies[0];
	puts("ready");
	fflush(stdout);
	for (long n = 0;; n = counted(n))
		poll(NULL, 0, 1);
}
