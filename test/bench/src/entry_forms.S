/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ppc64le functions that return their argument plus one, with entries of other designs.
 * Each entry only does the minimum work: it saves the registers of two arguments and calls
 * entry_hook(ip, parent_ip) through a pointer.
 */
	.abiversion 2
	.text

.macro begin name
	.globl	\name
	.type	\name, @function
	.p2align 5
\name:
.endm

.macro body name
	addi	3, 3, 1
	blr
	.size	\name, .-\name
.endm

begin entry_plain
body entry_plain

/* -mprofile-kernel, as the powerpc kernel patches it: tracing off, then on. */
begin entry_mflr_nop
	mflr	0
	nop
body entry_mflr_nop

begin entry_mflr_bl
	mflr	0
	bl	hook_and_bctr
body entry_mflr_bl

/* A sequence that restores LR, like the sequence of -pg. */
begin entry_in_line
	mflr	0
	std	0, 16(1)
	bl	hook
	ld	0, 16(1)
	mtlr	0
body entry_in_line

#define FRAME 80
#define OWN_LR 72

/*
 * r0 contains the return address of the caller, LR the address in the function. Live: r3,
 * r4, r11, r2.
 */
.macro call_hook
	std	0, 16(1)
	stdu	1, -FRAME(1)
	std	3, 32(1)
	std	4, 40(1)
	std	11, 48(1)
	std	2, 24(1)
	mflr	3
	mr	4, 0
	std	3, OWN_LR(1)
	addis	12, 2, entry_hook@toc@ha
	ld	12, entry_hook@toc@l(12)
	mtctr	12
	bctrl
	ld	2, 24(1)
	ld	0, OWN_LR(1)
	ld	3, 32(1)
	ld	4, 40(1)
	ld	11, 48(1)
	addi	1, 1, FRAME
.endm

hook:
	call_hook
	mtlr	0
	blr

/* LR must contain the caller's address again, so this returns to the function by CTR. */
hook_and_bctr:
	call_hook
	mtctr	0
	ld	0, 16(1)
	mtlr	0
	bctr

	.section .note.GNU-stack, "", @progbits
