/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Keeping what may be arguments in floating-point registers, for entry.S and
 * exit.S. The pass gives no site to functions with arguments in
 * registers of the V extension.
 */
#define VECTORS_SIZE (8 * 8)

/* \move, fsd or fld, fa0 to fa7 to or from the stack pointer on. */
.macro move_vectors move
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	\move	fa\n, 8*\n(sp)
	.endr
.endm

/* \move, sd or ld, the first \nr of a0 to a7 to or from \at bytes above \base. */
.macro move_args move, nr, base=sp, at=0
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	.if \n < \nr
	\move	a\n, \at+8*\n(\base)
	.endif
	.endr
.endm

/* lpad 0, which is auipc of no register where there are no landing pads. */
.macro landing_pad
	.insn	u 0x17, zero, 0
.endm
