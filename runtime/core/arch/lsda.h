/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The data of a frame that calls a body, and the personality function that reads them. */
#pragma once

#ifdef __ASSEMBLER__

/*
 * The data for a call of a body. The labels of the call end in \body, and those of its landing
 * pad in \pad. \from says which fields of struct patchbay_call the code has filled in:
 *   0   all
 *   -1  all but @told: all tracers saw the entry
 *   >0  all but @told and @ip. The return address of the site's call is after struct
 *       patchbay_regs, and \from bytes after the function's entry
 */
.macro lsda body, pad, from=0
	.section .rodata.pb_call, "a", @progbits
	.p2align 2
.Llsda_\body:
	.long	.Lbody_\body - .
	.long	.Lunwind_\pad - .
	.long	\from
	.previous
.endm

/* The beginning and the end of a function in exit.S that calls a body. */
.macro begin_call_body name
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align 6
\name:
	.cfi_startproc
	.cfi_personality 0x1b, pb_call_personality
	.cfi_lsda 0x1b, .Llsda_\name
.endm

.macro end_call_body name, from=0
	.cfi_endproc
	.size	\name, .-\name
	lsda	\name, \name, \from
.endm

#else

#include <unwind.h>

/* The personality function of trampolines; see call_slow.c. */
_Unwind_Reason_Code pb_call_personality(int version, _Unwind_Action actions,
					_Unwind_Exception_Class class,
					struct _Unwind_Exception *exception,
					struct _Unwind_Context *context)
	__attribute__((visibility("hidden")));

#endif /* __ASSEMBLER__ */
