/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The note by which other processes find the list of modules. */
#include "modules/live_view.h"

#include "system/lock.h"

const struct pb_live pb_live = {
	.size = sizeof(struct pb_live),
	.layout = PB_LIVE_LAYOUT,
	.shared_layout = PB_LIVE_SHARED_LAYOUT,
	.generation = &pb_engine_generation,
	.modules = &pb_modules,
	.others = &pb_others,
	.stats = &pb_stats,
};

#define STRING(x) #x
#define NUMBER(x) STRING(x)

/* Linkers keep allocated notes. A reader needs no symbol to find one. */
__asm__(".pushsection .note.patchbay.runtime, \"a\", %note\n"
	"	.balign 4\n"
	"	.long 2f - 1f, 4f - 3f, " NUMBER(PATCHBAY_NOTE_RUNTIME) "\n"
	"1:	.asciz \"" PATCHBAY_NOTE_NAME "\"\n"
	"2:	.balign 4\n"
	"3:	.long " NUMBER(PB_LIVE_VERSION) "\n"
	"	.long pb_live - .\n"
	"4:	.balign 4\n"
	"	.popsection\n");
