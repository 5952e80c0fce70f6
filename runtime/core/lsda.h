/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What unwinders call at a call of a body, and the data that it reads. */
#ifndef PB_CORE_LSDA_H
#define PB_CORE_LSDA_H

#ifdef __ASSEMBLER__

/*
 * Of a call whose labels end in \body, and which unwinds to those in \pad. \from:
 * 0; or, where struct patchbay_call does not say who was told of the entry, because
 * all were, -1; or, where it does not say which function it is either, how far behind
 * its entry the site's call ends, whose return address is behind struct
 * patchbay_regs.
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

#else

#include <unwind.h>

/* See call_slow.c. */
_Unwind_Reason_Code pb_call_personality(int version, _Unwind_Action actions,
					_Unwind_Exception_Class class,
					struct _Unwind_Exception *exception,
					struct _Unwind_Context *context)
	__attribute__((visibility("hidden")));

#endif /* __ASSEMBLER__ */

#endif /* PB_CORE_LSDA_H */
