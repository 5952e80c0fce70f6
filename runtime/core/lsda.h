/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What pb_call_personality() (call_slow.c) reads; for assembler. */
#ifndef PB_CORE_LSDA_H
#define PB_CORE_LSDA_H

/* Of a call whose labels end in \body, and which unwinds to those in \pad. */
.macro lsda body, pad
	.section .rodata.pb_call, "a", @progbits
	.p2align 2
.Llsda_\body:
	.long	.Lbody_\body - .
	.long	.Lunwind_\pad - .
	.previous
.endm

#endif /* PB_CORE_LSDA_H */
