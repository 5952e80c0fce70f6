/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Trampolines. An armed site branches to a trampoline through its sequence (insn.h), with:
 *
 *	x9      return address into the caller      parent_ip
 *	x30     return address into the sequence    gives the entry
 *
 * Live registers: the arguments (x0-x7, q0-q7), x8 (address of the result), x15 (static
 * chain), x18 (platform register). x9-x14, x16, x17 and the flags are dead. The trampoline
 * returns to the sequence with the caller's address in x30, as before the site's `mov`.
 * The trampoline's `ret` pops the address that the sequence's `blr` has pushed, from the return
 * predictor and the guarded control stack. If x11 is not 0, the sequence continues with the
 * body. If x11 is 0, the cell's enter function has called the body already (exit.S).
 *
 * Functions with arguments or results in scalable vectors, or with streaming mode, have no
 * site. So the trampoline saves no such state.
 *
 * Argument registers that the function does not use are dead. The function's record has the
 * number of arguments. Each number of registers to save has its own trampoline.
 *
 * While the handler runs, both return addresses are in memory, signed if the processor
 * supports that. Beside them are plain frame records: the trampoline's, and one for the
 * function, which has made none yet. Only unwinders use these records: by frame pointers, or
 * by the directives below, unwinders find handler, function and caller. Sequences have no
 * unwind information: the directives give an address after the function's entry instead.
 */
#include "entry.h"
#include "quiesce/quiesce.h"
#include "vectors.h"

#include <patchbay/abi.h>

/*
 * The trampoline of functions with \nr argument registers: 2, 4 or 8.
 *
 * The unwind tables need the caller's x30 and the return address of this call, which differ
 * here. The tables describe the caller's x30 as x30, and this call's return address as x17. Any
 * return address after the entry's first instruction is right, because the function has made
 * no frame there.
 */
.macro trampoline nr
	.cfi_startproc
	.cfi_return_column x17
	/* DW_CFA_expression x17: x30 + PB_RETURN_INSIDE */
	.cfi_escape 0x10, 17, 2, 0x8e, PB_RETURN_INSIDE
	.cfi_register x30, x9
	bti	c
	ldr	x10, [x30, #PB_RETURN_INSIDE]
	.cfi_register x17, x10
	mov	x17, x30
	mov	x30, x9
	mov	x16, sp
	paciasp			/* x30 by sp */
	pacia1716		/* x17 by x16 */
	sub	sp, sp, #REGS_SIZE
	.cfi_def_cfa_offset REGS_SIZE
	move_args stp, \nr
	/* For debuggers: the arguments of the function's frame. */
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7
	.if \i < \nr
	.cfi_offset x\i, 8*\i-REGS_SIZE
	.endif
	.endr
	stp	x8, x15, [sp, #FRAME_RESULT]
	str	x17, [sp, #FRAME_BACK]
	add	x16, sp, #FRAME_CALLER
	stp	x16, x10, [sp, #FRAME_OWN]
	.cfi_offset x17, FRAME_OWN+8-REGS_SIZE
	stp	x29, x9, [sp, #FRAME_CALLER]
	.cfi_offset x29, FRAME_CALLER-REGS_SIZE
	.cfi_offset x30, FRAME_CALLER+8-REGS_SIZE
	add	x29, sp, #FRAME_OWN
	adrp	x16, :gottprel:pb_thread
	ldr	x16, [x16, :gottprel_lo12:pb_thread]
	mrs	x17, tpidr_el0
	ldr	x16, [x16, x17]
	stp	x30, x16, [sp, #FRAME_RETURN]
	sub	x0, x10, #8		/* ip */
	mov	x1, x9			/* parent_ip */
2:
	mov	x3, sp
	cbz	x16, 1f			/* the thread has no reader yet */
	ldr	x17, [x16]
	cbnz	x17, 1f			/* PB_THREAD_OUTSIDE is 0 */
	/* Set the mark before loading the slot; see pb_quiesce_begin(). */
	ldr	x17, [x16, #PB_THREAD_NEXT_PHASE]
	stp	x17, x3, [x16]
	ldr	x2, [x0, #PATCHBAY_SLOT_OFFSET]
	/* Acquire: the handler's loads of the cell follow that of cell->enter. */
	ldar	x17, [x2]
	blr	x17
	/* Release: the handler's accesses are complete before the mark is cleared. */
	ldr	x11, [sp, #FRAME_THREAD]
	cbz	x11, 0f
	stlr	xzr, [x11]
	str	xzr, [x11, #PB_THREAD_FRAME]
0:
	move_args ldp, \nr
	ldp	x8, x15, [sp, #FRAME_RESULT]
	.cfi_remember_state
	ldp	x10, x17, [sp, #FRAME_OWN+8]
	.cfi_register x17, x10
	ldp	x29, x9, [sp, #FRAME_CALLER]
	.cfi_same_value x29
	.cfi_register x30, x9
	ldr	x30, [sp, #FRAME_RETURN]
	add	sp, sp, #REGS_SIZE
	.cfi_def_cfa_offset 0
	mov	x16, sp
	autia1716
	autiasp
	ret	x17
1:
	.cfi_restore_state
	sub	x2, x0, #-PATCHBAY_SLOT_OFFSET
	bl	pb_arch_enter_slowly
	ldr	x11, [sp, #FRAME_THREAD]
	cbz	w0, 0b
	ldr	x0, [sp, #FRAME_OWN+8]
	sub	x0, x0, #8
	ldr	x1, [sp, #FRAME_CALLER+8]
	mov	x16, x11
	b	2b
	.cfi_endproc
.endm

/*
 * All trampolines, PB_TRAMPOLINE_SIZE apart, in the order of patch.c.
 */
begin_function pb_arch_trampolines, 8
	.irp	nr, 2, 4, 8
	.balign	PB_TRAMPOLINE_SIZE
	trampoline \nr
	.endr
	/* The assembler reports an error here if a trampoline is too large. */
	.org	pb_arch_trampolines + 3*PB_TRAMPOLINE_SIZE
end_function pb_arch_trampolines

/*
 * Execute the call instruction \call with the present arguments, and preserve vector arguments.
 * x3 points to patchbay_regs, which get a pointer to the saved vectors, so that a handler can
 * change them. paciasp is also a landing pad.
 */
.macro call_saving_vectors name, call:vararg
begin_function \name
	.cfi_startproc
	paciasp
	.cfi_negate_ra_state
	stp	x29, x30, [sp, #-(16+VECTORS_SIZE)]!
	.cfi_def_cfa_offset 16+VECTORS_SIZE
	.cfi_offset x29, -(16+VECTORS_SIZE)
	.cfi_offset x30, -(8+VECTORS_SIZE)
	mov	x29, sp
	move_vectors stp, 16
	add	x16, sp, #16
	str	x16, [x3, #REGS_VECTORS]
	\call
	move_vectors ldp, 16
	ldp	x29, x30, [sp], #16+VECTORS_SIZE
	.cfi_def_cfa_offset 0
	.cfi_restore x29
	.cfi_restore x30
	autiasp
	.cfi_negate_ra_state
	ret
	.cfi_endproc
end_function \name
.endm

/* Call cell->func. x2 points to the cell. */
.macro call_func
	ldr	x16, [x2, #CELL_FUNC]
	blr	x16
.endm

call_saving_vectors pb_arch_enter_any, call_func
call_saving_vectors pb_arch_enter_set, bl pb_set_call
call_saving_vectors pb_arch_enter_slowly, bl pb_enter_slowly

	.section .note.GNU-stack, "", @progbits
