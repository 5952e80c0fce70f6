/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The ELF note by which commands find this library in a process. The note contains the
 * offset of pb_control_point, which is NULL until a thread listens.
 */
#include "format/control.h"

#include <patchbay/abi.h>

#define STRING(x) #x
#define NUMBER(x) STRING(x)

/* The format equals that of libpatchbay's note (core/modules/module.c). */
__asm__(".pushsection .note.patchbay.control, \"a\", %note\n"
	"	.balign 4\n"
	"	.long 2f - 1f, 4f - 3f, " NUMBER(PATCHBAY_NOTE_CONTROL) "\n"
	"1:	.asciz \"" PATCHBAY_NOTE_NAME "\"\n"
	"2:	.balign 4\n"
	"3:	.long " NUMBER(PB_CONTROL_VERSION) "\n"
	"	.long pb_control_point - .\n"
	"4:	.balign 4\n"
	"	.popsection\n");
