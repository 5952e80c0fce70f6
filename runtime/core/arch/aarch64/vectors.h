/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For entry.S and exit.S: saving and loading arguments, and the properties of both files. */
#define VECTORS_SIZE (8 * 16)

/* Store or load (\move: stp or ldp) q0 to q7 at \at bytes above the stack pointer. */
.macro move_vectors move, at
	\move	q0, q1, [sp, #\at]
	\move	q2, q3, [sp, #\at+32]
	\move	q4, q5, [sp, #\at+64]
	\move	q6, q7, [sp, #\at+96]
.endm

/* Store or load (\move: stp or ldp) the first \nr of x0 to x7 at \at bytes above \base. */
.macro move_args move, nr, base=sp, at=0
	\move	x0, x1, [\base, #\at]
	.if \nr >= 4
	\move	x2, x3, [\base, #\at+16]
	.endif
	.if \nr >= 8
	\move	x4, x5, [\base, #\at+32]
	\move	x6, x7, [\base, #\at+48]
	.endif
.endm

	/* Signing and landing pads are hints: older processors execute them as NOPs. */
	.arch	armv8.5-a

	/* The file has landing pads and signs return addresses. */
	.section .note.gnu.property, "a", @note
	.p2align 3
	.word	4, 16, 5		/* NT_GNU_PROPERTY_TYPE_0 */
	.asciz	"GNU"
	.word	0xc0000000, 4, 3, 0	/* GNU_PROPERTY_AARCH64_FEATURE_1_AND */
	.text
