/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The enter functions of cells whose tracers have an exit handler (exit.h). An enter function
 * calls the function's body.
 *
 * The stack, from above:
 *
 *	the caller's frame, with arguments on the stack and parent_ip
 *	struct patchbay_regs			the trampoline (entry.S)
 *	the function's header			struct patchbay_call, down from here
 *	the trampoline's own frame	<- r31
 *	...
 *	the tracers' words
 *	vector arguments, for exit handlers, too
 *	copies of stack arguments
 *	header, with r2			<- r1
 *
 * This function calls the end of the sequence, which branches to the body. When the body
 * returns, this function returns to the trampoline, with the mark that makes the trampoline
 * set CR0. The trampoline returns to the sequence, and the sequence to the caller. Each blr
 * matches the last bl.
 *
 * Only trampolines call this code, so r2 is the library's TOC pointer already.
 */
#include "entry.h"
#include "arch/lsda.h"
#include "quiesce/quiesce.h"
#include "vectors.h"

#include <patchbay/abi.h>

	.abiversion 2

/* Header, struct patchbay_call up to r31 and a word; r1 is aligned. */
#define FRAME_SIZE (HEADER_SIZE + 16 - CALL)

/* The parameter save area of the ABI: stack words for the arguments that are in registers. */
#define SAVE_AREA_WORDS 8

	.text

/* Unwind as if the site's caller had called this function. The frame is at r31. */
.macro cfi_as_called
	.cfi_def_cfa 31, FRAMES_SIZE
	.cfi_offset DWARF_LR, HEADER_LR
	.cfi_offset 31, CALL_FRAME-FRAMES_SIZE
	.cfi_offset 2, HEADER_TOC-FRAMES_SIZE
.endm

/* Extend the frame by the number of bytes in the register \bytes. Clobbers r0. */
.macro extend_frame bytes
	neg	\bytes, \bytes
	ld	0, 0(1)
	stdux	0, 1, \bytes
	std	2, HEADER_TOC(1)
.endm

/* As move_vectors, for results in floating-point and vector registers. Clobbers r11. */
.macro move_results float, vector
	.irp	n, 1, 2, 3, 4, 5, 6, 7, 8
	\float	\n, CALL_FLOAT+(\n-1)*16(31)
	.endr
	.irp	n, 2, 3, 4, 5, 6, 7, 8, 9
	li	11, CALL_VECTOR+(\n-2)*16
	\vector	\n, 11, 31
	.endr
.endm

/* Call \function. Without \members, first fill in @told: all tracers saw the entry. */
.macro call_with_told function, members
	.if !\members
	li	0, -1
	std	0, CALL_TOLD(31)
	.endif
	addi	3, 31, CALL
	bl	\function
.endm

/* arch.h has the parameters. */
.macro call_body name, members, vectors, set, any
	begin_call_body \name
	.if \set
	ld	11, CELL_SET(5)
	.ifnb \any
	lwz	0, SET_FAST_EXITS(11)
	cmpwi	0, 0
	bne	1f
	b	\any
1:
	.endif
	.endif
	mflr	0
	std	0, CALL_WAY_OUT(1)
	.cfi_offset DWARF_LR, CALL_WAY_OUT
	std	31, CALL_FRAME(1)
	.cfi_offset 31, CALL_FRAME
	mr	31, 1
	.cfi_def_cfa_register 31
	addi	0, 1, FRAMES_SIZE
	stdu	0, -FRAME_SIZE(1)
	std	2, HEADER_TOC(1)
	std	3, CALL_IP(31)
	std	4, CALL_PARENT(31)

	.if \members
	.if \set
	lwz	3, SET_MORE(11)
	.else
	li	11, 0
	li	3, 0
	.endif
	std	11, CALL_SET(31)
	.if \vectors
	addi	3, 3, VECTORS_SIZE
	.endif
	extend_frame 3
	.if \vectors
	move_vectors stfd, stvx
	addi	11, 1, VECTORS_F
	std	11, OWN_REGS+REGS_VECTORS(31)
	.endif
	addi	3, 31, CALL
	mr	4, 5
	bl	pb_call_entry
	.if \vectors
	move_vectors lfd, lvx
	.endif
	ld	0, CALL_SINCE(31)
	andi.	0, 0, CALL_SKIP
	bne-	.Lskip_\name
	cmpdi	3, 0			/* words of arguments on the stack */
	beq	2f
	addi	3, 3, SAVE_AREA_WORDS
	mtctr	3
	addi	3, 3, 1
	sldi	3, 3, 3
	clrrdi	3, 3, 4
	extend_frame 3
	addi	4, 31, FRAMES_SIZE+HEADER_SIZE-8
	addi	5, 1, HEADER_SIZE-8
1:	ldu	0, 8(4)
	stdu	0, 8(5)
	bdnz	1b
2:
	.else
	ld	0, CELL_SINCE(5)
	std	0, CALL_SINCE(31)	/* the word is 0, and no PATCHBAY_EXIT_* is set */
	ld	12, CELL_FUNC(5)
	mtctr	12
	bctrl
	ld	2, HEADER_TOC(1)
	ld	0, CALL_SINCE(31)
	andi.	0, 0, CALL_SKIP
	bne-	.Lskip_\name
	.endif

	/* Release: the handlers' accesses are complete before the mark is cleared. */
	ld	12, OWN_THREAD(31)
	li	0, PB_THREAD_OUTSIDE
	lwsync
	std	0, 0(12)
	std	0, PB_THREAD_FRAME(12)
	ld	12, OWN_RETURN(31)
	addi	12, 12, PB_RETURN_BODY
	mtctr	12
	/* A register that holds no argument may have any value, so load all of them. */
	move_args ld, 8, OWN_REGS, 31
	ld	11, OWN_REGS+REGS_CHAIN(31)
	.cfi_remember_state
	cfi_as_called
	ld	2, HEADER_TOC(31)
	bctrl
.Lbody_\name:
	ld	2, HEADER_TOC(1)
	.cfi_restore_state
	std	3, CALL_GP(31)
	std	4, CALL_GP+8(31)
	.if \vectors
	move_results stfd, stvx
	.endif

	/* The body may return on another thread, if a fiber was resumed there. */
	addis	12, 2, pb_thread@got@tprel@ha
	ld	12, pb_thread@got@tprel@l(12)
	ldx	12, 12, pb_thread@tls
	std	12, OWN_THREAD(31)
	cmpdi	12, 0			/* the thread has no reader yet */
	beq-	.Lslow_\name
	ld	0, 0(12)
	cmpdi	0, PB_THREAD_OUTSIDE
	bne-	.Lslow_\name
	addi	0, 31, OWN_REGS
	std	0, PB_THREAD_FRAME(12)
	ld	11, PB_THREAD_NEXT_PHASE(12)
	std	11, 0(12)
.Lskip_\name:
	.if \members
	addi	3, 31, CALL
	bl	pb_call_exit
	.else
	ld	3, CALL_IP(31)
	ld	5, PATCHBAY_SLOT_OFFSET(3)
	ld	0, CELL_ENTER(5)
	lwsync				/* acquire: before other loads of the cell */
	addis	11, 2, \name@toc@ha
	addi	11, 11, \name@toc@l
	cmpd	0, 11
	bne-	.Lchanged_\name
	ld	0, CELL_SINCE(5)
	ld	11, CALL_SINCE(31)
	cmpd	0, 11
	bne-	.Lchanged_\name
	ld	4, CALL_PARENT(31)
	addi	6, 31, OWN_REGS
	ld	12, CELL_EXIT(5)
	mtctr	12
	bctrl
	ld	2, HEADER_TOC(1)
	.endif

.Lreturn_\name:
	.if \vectors
	move_results lfd, lvx
	.endif
	/* The trampoline loads the result from here. */
	ld	3, CALL_GP(31)
	ld	4, CALL_GP+8(31)
	std	3, OWN_REGS(31)
	std	4, OWN_REGS+8(31)
	ld	0, OWN_RETURN(31)
	ori	0, 0, OWN_CALLED
	std	0, OWN_RETURN(31)
	ld	0, CALL_WAY_OUT(31)
	mtlr	0
	.cfi_remember_state
	mr	1, 31
	.cfi_def_cfa_register 1
	ld	31, CALL_FRAME(1)
	blr
	.cfi_restore_state

	.if !\members
	/* The tracers have changed: pb_call_exit() calls those that saw the entry. */
.Lchanged_\name:
	call_with_told pb_call_exit, 0
	b	.Lreturn_\name
	.endif

	/*
	 * The thread has no reader, or is inside already, so it was not marked. The trampoline
	 * always clears a mark: let it clear two unused words of this frame.
	 */
.Lslow_\name:
	.if !\vectors
	move_results stfd, stvx
	.endif
	call_with_told pb_call_exit_slowly, \members
	.if !\vectors
	move_results lfd, lvx
	.endif
	addi	0, 31, CALL_TOLD
	std	0, OWN_THREAD(31)
	b	.Lreturn_\name

	/*
	 * An exception passes through this frame. r3 points to the exception. Unwinders have
	 * restored r2, because the instruction after the call of the body restores r2.
	 */
.Lunwind_\name:
	cfi_as_called
	std	3, CALL_GP(31)
	call_with_told pb_call_unwound, \members
	ld	3, CALL_GP(31)
	bl	pb_call_resume
	nop
	trap
	end_call_body \name, \members-1
.endm

call_body pb_arch_call_fast, 0, 0, 0
call_body pb_arch_call_any, 1, 1, 0
call_body pb_arch_call_any_set, 1, 1, 1
call_body pb_arch_call_set, 1, 0, 1, pb_arch_call_any_set

	.section .note.GNU-stack, "", @progbits
