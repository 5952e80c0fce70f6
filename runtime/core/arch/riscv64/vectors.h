/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Saving and loading arguments, for entry.S and exit.S. Functions with arguments in
 * registers of the V extension have no site.
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

/* lpad 0. A processor without landing pads executes auipc with no destination. */
.macro landing_pad
	.insn	u 0x17, zero, 0
.endm
