/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What pb_call_personality() (call_slow.c) reads; for assembler. */
#ifndef PB_CORE_LSDA_H
#define PB_CORE_LSDA_H

/* Of a function whose labels end in \id. */
.macro lsda id
	.section .rodata.pb_call, "a", @progbits
	.p2align 2
.Llsda_\id:
	.long	.Lbody_\id - .
	.long	.Lunwind_\id - .
	.previous
.endm

#endif /* PB_CORE_LSDA_H */
