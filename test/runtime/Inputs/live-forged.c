/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A process that says of itself what is not so. CASE is one of the enum's; NOTE
 * the version in the note, which leads to `forged`.
 */
#include "core/live.h"

#include <stdio.h>
#include <unistd.h>

enum { LOOP = 1, NOWHERE, ODD, LAYOUT, MANY };

static uint64_t generation = CASE == ODD;
static struct pb_stats stats;
static unsigned int modes;
static struct pb_module module = {
	.next = CASE == LOOP ? &module : NULL,
	.records = (void *)0x10,
	.nr = (size_t)1 << 60,
};
static struct pb_module *modules = CASE == NOWHERE ? (void *)-4096 : &module;

const struct pb_live forged __attribute__((used)) = {
	.size = sizeof(struct pb_live),
	.layout = PB_LIVE_LAYOUT + (CASE == LAYOUT),
	.generation = &generation,
	.modules = &modules,
	.stats = &stats,
	.modes = &modes,
};

#define STRING(x) #x
#define NUMBER(x) STRING(x)
__asm__(".pushsection .note.forged, \"a\", %note\n"
	"	.long 9, 8, " NUMBER(PATCHBAY_NOTE_RUNTIME) "\n"
	"	.asciz \"Patchbay\"\n"
	"	.balign 4\n"
	"	.long " NUMBER(NOTE) ", forged - .\n"
	"	.popsection\n");

int main(void)
{
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
