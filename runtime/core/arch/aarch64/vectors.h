/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Keeping what may be arguments in vector registers, for entry.S and exit.S. */
#define VECTORS_SIZE (8 * 16)

/* \move, stp or ldp, q0 to q7 to or from \at bytes above the stack pointer. */
.macro move_vectors move, at
	\move	q0, q1, [sp, #\at]
	\move	q2, q3, [sp, #\at+32]
	\move	q4, q5, [sp, #\at+64]
	\move	q6, q7, [sp, #\at+96]
.endm
