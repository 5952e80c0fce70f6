/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Saving and loading arguments, for entry.S and exit.S. VSX gives floating-point registers a
 * second half, which holds no arguments.
 */
#define VECTORS_SIZE (14 * 8 + 12 * 16)

/* Offsets in the frame: above the header. v2 comes first, because it must be aligned. */
#define VECTORS_V HEADER_SIZE
#define VECTORS_F (HEADER_SIZE + 12 * 16)

/*
 * Store (\float stfd, \vector stvx) or load (lfd, lvx) the floating-point and vector arguments
 * in a frame, above its header. Clobbers r11.
 */
.macro move_vectors float, vector
	.irp	n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
	li	11, VECTORS_V+(\n-2)*16
	\vector	\n, 11, 1
	.endr
	.irp	n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
	\float	\n, VECTORS_F+(\n-1)*8(1)
	.endr
.endm

/* Store or load (\move: std or ld) the first \nr of r3 to r10 at \at bytes above \base. */
.macro move_args move, nr, at, base=1
	.irp	n, 3, 4, 5, 6, 7, 8, 9, 10
	.if \n-3 < \nr
	\move	\n, \at+8*(\n-3)(\base)
	.endif
	.endr
.endm
