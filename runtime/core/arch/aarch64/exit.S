/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The enter functions of cells whose tracers have an exit handler (exit.h). An enter function
 * calls the function's body.
 *
 * The stack, from above:
 *
 *	arguments on the stack
 *	struct patchbay_regs, pushed by the trampoline (entry.S)
 *	struct patchbay_call:
 *	  signed return address into the trampoline
 *	  a copy of parent_ip
 *	  the caller's frame pointer	<- x29
 *	  ...
 *	the tracers' words
 *	vector arguments, for exit handlers, too
 *	copies of stack arguments
 *
 * The frame records lead from the body to this function and to the caller.
 *
 * This function calls the end of the site's sequence, which branches to the body. When the body
 * returns, this function returns to the trampoline, the trampoline to the sequence, and the
 * sequence to the caller. Each ret matches the last call: processors predict such returns, and
 * guarded control stacks require them.
 */
#include "entry.h"
#include "arch/lsda.h"
#include "quiesce/quiesce.h"
#include "vectors.h"

#include <patchbay/abi.h>

/* Offsets from x29. */
#define REGS CALL_REGS
#define OWN_BACK (REGS + FRAME_BACK)
#define OWN_THREAD (REGS + FRAME_THREAD)
#define STACK_ARGS (REGS + REGS_SIZE)

/* struct patchbay_call and a word. */
#define CALL_FRAME_SIZE (CALL_SIZE + 8)

/* Unwind as if the site's caller had called this function. The frame is at x29. */
.macro cfi_as_called
	.cfi_def_cfa x29, STACK_ARGS
	.cfi_offset x29, -STACK_ARGS
	.cfi_offset x30, 8-STACK_ARGS
.endm

/* Call \function. Without \members, first fill in @told: all tracers saw the entry. */
.macro call_with_told function, members
	.if !\members
	mov	x16, #-1
	stur	x16, [x29, #CALL_TOLD]
	.endif
	add	x0, x29, #CALL
	bl	\function
.endm

/* Store or load (\move: stp or ldp) results in vector registers. */
.macro move_results move
	\move	q0, q1, [x29, #CALL_VECTOR]
	\move	q2, q3, [x29, #CALL_VECTOR+32]
.endm

/* arch.h has the parameters. */
.macro call_body name, members, vectors, set, any
	begin_call_body \name
	bti	c
	.if \set
	ldr	x16, [x2, #CELL_SET]
	.ifnb \any
	ldr	w17, [x16, #SET_FAST_EXITS]
	cbz	w17, \any
	.endif
	.endif
	paciasp
	.cfi_negate_ra_state
	sub	sp, sp, #CALL_FRAME_SIZE
	.cfi_def_cfa_offset CALL_FRAME_SIZE
	ldr	x17, [x3, #FRAME_CALLER]
	stp	x17, x1, [sp, #8+CALL_FRAME-CALL]
	str	x30, [sp, #8+CALL_WAY_OUT-CALL]
	.cfi_offset x30, -8
	add	x29, sp, #8-CALL
	.cfi_def_cfa x29, REGS
	.cfi_val_offset x29, FRAME_OWN
	stur	x0, [x29, #CALL_IP]

	.if \members
	.if \set
	stur	x16, [x29, #CALL_SET]
	ldr	w16, [x16, #SET_MORE]
	sub	sp, sp, x16
	.else
	stur	xzr, [x29, #CALL_SET]
	.endif
	.if \vectors
	sub	sp, sp, #VECTORS_SIZE
	mov	x16, sp
	str	x16, [x29, #REGS+REGS_VECTORS]
	move_vectors stp, 0
	.endif
	add	x0, x29, #CALL
	mov	x1, x2
	bl	pb_call_entry
	.if \vectors
	move_vectors ldp, 0
	.endif
	ldur	x16, [x29, #CALL_SINCE]
	tbnz	x16, #CALL_SKIP_BIT, .Lskip_\name
	cbz	x0, 2f			/* words of arguments on the stack */
	add	x16, x0, #1
	and	x16, x16, #~1
	sub	sp, sp, x16, lsl #3
	mov	x16, sp
	add	x17, x29, #STACK_ARGS
1:	ldr	x9, [x17], #8
	str	x9, [x16], #8
	subs	x0, x0, #1
	b.ne	1b
2:
	.else
	ldr	x16, [x2, #CELL_SINCE]
	stur	x16, [x29, #CALL_SINCE]	/* the word is 0; no PATCHBAY_EXIT_* is set */
	ldr	x16, [x2, #CELL_FUNC]
	blr	x16
	ldur	x16, [x29, #CALL_SINCE]
	tbnz	x16, #CALL_SKIP_BIT, .Lskip_\name
	.endif

	/* Release: the handlers' accesses are complete before the mark is cleared. */
	ldr	x16, [x29, #OWN_THREAD]
	stlr	xzr, [x16]
	str	xzr, [x16, #PB_THREAD_FRAME]
	add	x16, x29, #STACK_ARGS
	ldr	x17, [x29, #OWN_BACK]
	autia1716
	add	x17, x17, #PB_RETURN_BODY
	/* A register that holds no argument may have any value, so load all of them. */
	move_args ldp, 8, x29, REGS
	ldp	x8, x15, [x29, #REGS+FRAME_RESULT]
	.cfi_remember_state
	.cfi_negate_ra_state
	cfi_as_called
	blr	x17
.Lbody_\name:
	.cfi_restore_state
	stp	x0, x1, [x29, #CALL_GP]
	.if \vectors
	move_results stp
	.endif

	/* The body may return on another thread, if a fiber was resumed there. */
	adrp	x16, :gottprel:pb_thread
	ldr	x16, [x16, :gottprel_lo12:pb_thread]
	mrs	x17, tpidr_el0
	ldr	x16, [x16, x17]
	str	x16, [x29, #OWN_THREAD]
	cbz	x16, .Lslow_\name	/* the thread has no reader yet */
	ldr	x17, [x16]
	cbnz	x17, .Lslow_\name	/* PB_THREAD_OUTSIDE is 0 */
	ldr	x17, [x16, #PB_THREAD_NEXT_PHASE]
	add	x9, x29, #REGS
	stp	x17, x9, [x16]
.Lskip_\name:
	.if \members
	add	x0, x29, #CALL
	bl	pb_call_exit
	.else
	ldur	x0, [x29, #CALL_IP]
	ldr	x2, [x0, #PATCHBAY_SLOT_OFFSET]
	ldar	x16, [x2]		/* acquire: before other loads of the cell */
	adr	x17, \name
	cmp	x16, x17
	b.ne	.Lchanged_\name
	ldr	x16, [x2, #CELL_SINCE]
	ldur	x17, [x29, #CALL_SINCE]
	cmp	x16, x17
	b.ne	.Lchanged_\name
	ldr	x1, [x29, #CALL_PARENT]
	add	x3, x29, #REGS
	ldr	x16, [x2, #CELL_EXIT]
	blr	x16
	.endif

.Lreturn_\name:
	ldr	x16, [x29, #OWN_THREAD]
	stlr	xzr, [x16]
	str	xzr, [x16, #PB_THREAD_FRAME]
.Lleave_\name:
	str	xzr, [x29, #OWN_THREAD]
	.if \vectors
	move_results ldp
	.endif
	/* The trampoline loads the result from here. */
	ldp	x0, x1, [x29, #CALL_GP]
	stp	x0, x1, [x29, #REGS]
	/* The saved x30 and x29 stay above the stack pointer as long as unwinders need them. */
	.cfi_remember_state
	ldr	x30, [x29, #CALL_WAY_OUT]
	.cfi_same_value x30
	add	sp, x29, #REGS
	.cfi_def_cfa sp, 0
	add	x29, sp, #FRAME_OWN
	.cfi_same_value x29
	autiasp
	.cfi_negate_ra_state
	ret
	.cfi_restore_state

	.if !\members
	/* The tracers have changed: pb_call_exit() calls those that saw the entry. */
.Lchanged_\name:
	call_with_told pb_call_exit, 0
	b	.Lreturn_\name
	.endif

	/* The thread has no reader, or is inside already. */
.Lslow_\name:
	.if !\vectors
	move_results stp
	.endif
	call_with_told pb_call_exit_slowly, \members
	.if !\vectors
	move_results ldp
	.endif
	b	.Lleave_\name

	/* An exception passes through this frame. x0 points to the exception. */
.Lunwind_\name:
	.cfi_negate_ra_state
	cfi_as_called
	bti	j
	stur	x0, [x29, #CALL_GP]
	call_with_told pb_call_unwound, \members
	ldur	x0, [x29, #CALL_GP]
	bl	pb_call_resume
	udf	#0
	end_call_body \name, \members-1
.endm

call_body pb_arch_call_fast, 0, 0, 0
call_body pb_arch_call_any, 1, 1, 0
call_body pb_arch_call_any_set, 1, 1, 1
call_body pb_arch_call_set, 1, 0, 1, pb_arch_call_any_set

	.section .note.GNU-stack, "", @progbits
