/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Saving and loading arguments, for entry.S and exit.S. Functions with arguments in
 * registers of the V extension have no site.
 */
#define VECTORS_SIZE (8 * 8)

/* Store or load (\move: fsd or fld) fa0 to fa7, at the stack pointer and above. */
.macro move_vectors move
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	\move	fa\n, 8*\n(sp)
	.endr
.endm

/* Store or load (\move: sd or ld) the first \nr of a0 to a7 at \at bytes above \base. */
.macro move_args move, nr, base=sp, at=0
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	.if \n < \nr
	\move	a\n, \at+8*\n(\base)
	.endif
	.endr
.endm

/* lpad 0. Processors without landing pads execute it as an auipc without a destination. */
.macro landing_pad
	.insn	u 0x17, zero, 0
.endm
