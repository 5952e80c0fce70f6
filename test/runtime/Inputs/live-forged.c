/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A process with forged notes. CASE is a value of the enum. NOTE is the version in the
 * note, which points to `forged`.
 */
#include "core/modules/live_view.h"

#include <elf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LOOP = 1, NOWHERE, ODD, LAYOUT, MANY, ENDLESS, NOTES };

static uint64_t generation = CASE == ODD;
static struct pb_stats stats;
static struct pb_module module = {
	.next = CASE == LOOP ? &module : NULL,
	.records = CASE == ENDLESS ? (void *)&stats : (void *)0x10,
	.nr = (size_t)1 << 60,
};
static struct pb_module *modules = CASE == NOWHERE ? (void *)-4096 : &module;

const struct pb_live forged __attribute__((used)) = {
	.size = sizeof(struct pb_live),
	.layout = PB_LIVE_LAYOUT + (CASE == LAYOUT),
	.shared_layout = PB_LIVE_SHARED_LAYOUT,
	.generation = &generation,
	.modules = &modules,
	.stats = &stats,
};

#define STRING(x) #x
#define NUMBER(x) STRING(x)
__asm__(".pushsection .note.forged, \"a\", %note\n"
	"	.long 9, 8, " NUMBER(PATCHBAY_NOTE_RUNTIME) "\n"
	"	.asciz \"Patchbay\"\n"
	"	.balign 4\n"
	"	.long " NUMBER(NOTE) ", forged - .\n"
	"	.popsection\n");

/* Maps an image a hundred times. 60,000 headers of the image refer to one note. */
static void map_notes(void)
{
	const Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB },
		.e_phoff = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 60000,
	};
	const Elf64_Phdr load = { .p_type = PT_LOAD };
	const Elf64_Phdr note = { .p_type = PT_NOTE, .p_memsz = 12 };
	FILE *file = tmpfile();

	fwrite(&header, sizeof(header), 1, file);
	fwrite(&load, sizeof(load), 1, file);
	for (int i = 1; i < header.e_phnum; i++)
		fwrite(&note, sizeof(note), 1, file);
	fflush(file);
	for (int i = 0; i < 100; i++)
		mmap(NULL, (size_t)ftell(file), PROT_READ, MAP_SHARED,
		     fileno(file), 0);
}

int main(void)
{
	if (CASE == NOTES)
		map_notes();
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
