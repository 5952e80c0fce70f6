/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The enter functions of cells whose tracers have an exit handler (exit.h). An enter function
 * calls the function's body.
 *
 * The stack, from above:
 *
 *	arguments on the stack
 *	struct patchbay_regs			the trampoline (entry.S)
 *	return address into the
 *	trampoline		<- s0		struct patchbay_call, down from here;
 *	a copy of parent_ip			frame records lead from the body to
 *	the caller's s0				this function and to the caller
 *	...
 *	the tracers' words
 *	vector arguments, for exit handlers, too
 *	copies of stack arguments
 *
 * The body starts after the site. When the body returns, this function returns to the
 * trampoline, and the trampoline returns to the caller. `jalr ra, (ra)` calls the body:
 * it needs no landing pad, and processors predict it as a plain call. Processors would predict
 * a jalr by t0 as a return and a call.
 */
#include "entry.h"
#include "arch/lsda.h"
#include "quiesce/quiesce.h"
#include "vectors.h"

#include <patchbay/abi.h>

	.option	norelax

/* Offsets from s0. */
#define REGS CALL_REGS
#define OWN_BACK (REGS + FRAME_BACK)
#define OWN_THREAD (REGS + FRAME_THREAD)
#define STACK_ARGS (REGS + REGS_SIZE)

/* struct patchbay_call and a word. */
#define CALL_FRAME_SIZE (CALL_SIZE + 8)

	.text

/* Unwind as if the site's caller had called this function. The frame is at s0. */
.macro cfi_as_called
	.cfi_def_cfa s0, STACK_ARGS
	.cfi_offset s0, CALL_FRAME-STACK_ARGS
	.cfi_offset ra, CALL_PARENT-STACK_ARGS
.endm

/* Call \function. Without \members, first fill in @told: all tracers saw the entry. */
.macro call_with_told function, members
	.if !\members
	li	t1, -1
	sd	t1, CALL_TOLD(s0)
	.endif
	addi	a0, s0, CALL
	call	\function
.endm

/* Store or load (\move: fsd or fld) results in floating-point registers. */
.macro move_results move
	\move	fa0, CALL_VECTOR(s0)
	\move	fa1, CALL_VECTOR+8(s0)
.endm

/* arch.h has the parameters. */
.macro call_body name, members, vectors, set, any
	begin_call_body \name
	landing_pad
	.if \set
	ld	t1, CELL_SET(a2)
	.ifnb \any
	lw	t3, SET_FAST_EXITS(t1)
	beqz	t3, \any
	.endif
	.endif
	addi	sp, sp, -CALL_FRAME_SIZE
	.cfi_def_cfa_offset CALL_FRAME_SIZE
	ld	t3, FRAME_CALLER(a3)
	sd	t3, 8+CALL_FRAME-CALL(sp)
	sd	a1, 8+CALL_PARENT-CALL(sp)
	sd	ra, 8+CALL_WAY_OUT-CALL(sp)
	.cfi_offset ra, -8
	addi	s0, sp, 8-CALL
	.cfi_def_cfa s0, REGS
	.cfi_val_offset s0, FRAME_CALLER
	sd	a0, CALL_IP(s0)

	.if \members
	.if \set
	sd	t1, CALL_SET(s0)
	lwu	t1, SET_MORE(t1)
	sub	sp, sp, t1
	.else
	sd	zero, CALL_SET(s0)
	.endif
	.if \vectors
	addi	sp, sp, -VECTORS_SIZE
	sd	sp, REGS+REGS_VECTORS(s0)
	move_vectors fsd
	.endif
	addi	a0, s0, CALL
	mv	a1, a2
	call	pb_call_entry
	.if \vectors
	move_vectors fld
	.endif
	ld	t1, CALL_SINCE(s0)
	andi	t1, t1, CALL_SKIP
	bnez	t1, .Lskip_\name
	beqz	a0, 2f			/* words of arguments on the stack */
	addi	t1, a0, 1
	andi	t1, t1, -2
	slli	t1, t1, 3
	sub	sp, sp, t1
	mv	t1, sp
	addi	t3, s0, STACK_ARGS
1:	ld	t4, 0(t3)
	sd	t4, 0(t1)
	addi	t3, t3, 8
	addi	t1, t1, 8
	addi	a0, a0, -1
	bnez	a0, 1b
2:
	.else
	ld	t1, CELL_SINCE(a2)
	sd	t1, CALL_SINCE(s0)	/* the word is 0, and no PATCHBAY_EXIT_* is set */
	ld	t1, CELL_FUNC(a2)
	jalr	t1
	ld	t1, CALL_SINCE(s0)
	andi	t1, t1, CALL_SKIP
	bnez	t1, .Lskip_\name
	.endif

	/* Release: the handlers' accesses are complete before the mark is cleared. */
	ld	t1, OWN_THREAD(s0)
	fence	rw, w
	sd	zero, 0(t1)
	sd	zero, PB_THREAD_FRAME(t1)
	ld	ra, OWN_BACK(s0)
	/* A register that holds no argument may have any value, so load all of them. */
	move_args ld, 8, s0, REGS
	ld	t2, REGS+FRAME_CHAIN(s0)
	ld	t3, REGS+FRAME_CHAIN+8(s0)
	.cfi_remember_state
	cfi_as_called
	jalr	ra, 0(ra)
.Lbody_\name:
	.cfi_restore_state
	sd	a0, CALL_GP(s0)
	sd	a1, CALL_GP+8(s0)
	.if \vectors
	move_results fsd
	.endif

	/* The body may return on another thread, if a fiber was resumed there. */
	la.tls.ie t1, pb_thread
	add	t1, t1, tp
	ld	t1, 0(t1)
	sd	t1, OWN_THREAD(s0)
	beqz	t1, .Lslow_\name	/* the thread has no reader yet */
	ld	t3, 0(t1)
	bnez	t3, .Lslow_\name	/* PB_THREAD_OUTSIDE is 0 */
	addi	t4, s0, REGS
	sd	t4, PB_THREAD_FRAME(t1)
	ld	t3, PB_THREAD_NEXT_PHASE(t1)
	sd	t3, 0(t1)
.Lskip_\name:
	.if \members
	addi	a0, s0, CALL
	call	pb_call_exit
	.else
	ld	a0, CALL_IP(s0)
	ld	a2, PATCHBAY_SLOT_OFFSET(a0)
	ld	t1, 0(a2)
	fence	r, rw			/* acquire: before other loads of the cell */
	lla	t3, \name
	bne	t1, t3, .Lchanged_\name
	ld	t1, CELL_SINCE(a2)
	ld	t3, CALL_SINCE(s0)
	bne	t1, t3, .Lchanged_\name
	ld	a1, CALL_PARENT(s0)
	addi	a3, s0, REGS
	ld	t1, CELL_EXIT(a2)
	jalr	t1
	.endif

.Lreturn_\name:
	ld	t1, OWN_THREAD(s0)
	fence	rw, w
	sd	zero, 0(t1)
	sd	zero, PB_THREAD_FRAME(t1)
.Lleave_\name:
	sd	zero, OWN_THREAD(s0)
	.if \vectors
	move_results fld
	.endif
	/* Copy the result to where the trampoline loads a0 and a1. */
	ld	a0, CALL_GP(s0)
	ld	a1, CALL_GP+8(s0)
	sd	a0, REGS(s0)
	sd	a1, REGS+8(s0)
	/* The saved ra and s0 stay above the stack pointer as long as unwinders need them. */
	.cfi_remember_state
	ld	ra, CALL_WAY_OUT(s0)
	.cfi_same_value ra
	addi	sp, s0, REGS
	.cfi_def_cfa sp, 0
	addi	s0, sp, FRAME_CALLER
	.cfi_same_value s0
	ret
	.cfi_restore_state

	.if !\members
	/* The tracers have changed: pb_call_exit() calls those that saw the entry. */
.Lchanged_\name:
	call_with_told pb_call_exit, 0
	j	.Lreturn_\name
	.endif

	/* The thread has no reader, or is inside already. */
.Lslow_\name:
	.if !\vectors
	move_results fsd
	.endif
	call_with_told pb_call_exit_slowly, \members
	.if !\vectors
	move_results fld
	.endif
	j	.Lleave_\name

	/* An exception passes through this frame. a0 points to the exception. */
.Lunwind_\name:
	cfi_as_called
	landing_pad
	sd	a0, CALL_GP(s0)
	call_with_told pb_call_unwound, \members
	ld	a0, CALL_GP(s0)
	call	pb_call_resume
	unimp
	end_call_body \name, \members-1
.endm

call_body pb_arch_call_fast, 0, 0, 0
call_body pb_arch_call_any, 1, 1, 0
call_body pb_arch_call_any_set, 1, 1, 1
call_body pb_arch_call_set, 1, 0, 1, pb_arch_call_any_set

	.section .note.GNU-stack, "", @progbits
