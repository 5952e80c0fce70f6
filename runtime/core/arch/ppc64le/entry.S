/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Trampolines. An armed site branches to a trampoline through its sequence and a veneer
 * (insn.h), with:
 *
 *	r0      return address into the caller      parent_ip
 *	LR      return address into the sequence    gives the entry
 *	r12     this trampoline
 *
 * Live registers: the arguments (r3-r10, f1-f13, v2-v13), r11 (environment pointer), r2
 * (the function's TOC pointer, or any value in functions without one), r1, r13. r12, CTR,
 * XER and the volatile fields of CR are dead. The trampoline returns by blr to the
 * sequence, which has pushed this address onto the link stack. r0 then has the caller's
 * address, and the sequence moves it to LR. If EQ in CR0 is set, the sequence continues with
 * the body. If EQ is clear, the cell's enter function has called the body (exit.S).
 *
 * Argument registers that the function does not use are dead. The function's record has the
 * number of arguments. Each number of registers to save has its own trampoline.
 *
 * r1 points to the caller's frame. The function may use that frame's LR save doubleword
 * and the stack below. There the trampoline makes a frame for the function, which has made
 * none yet, and then its own frame. So unwinders find handler, trampoline, function and
 * caller, by the back chain or by the directives below. Sequences and veneers have no unwind
 * information: the directives give an address in the function instead.
 *
 *	+176  the caller's frame
 *	+80   struct patchbay_regs                   the function's frame, from
 *	+48   header                                 +48 on
 *	+40   the thread's reader
 *	+32   return address into the sequence, and OWN_CALLED
 *	+0    header, with r2
 */
#include "entry.h"
#include "quiesce/quiesce.h"
#include "vectors.h"

#include <patchbay/abi.h>

	.abiversion 2

	.text

/*
 * The trampoline of functions with \nr argument registers: 2, 4 or 8.
 *
 * The unwind tables need the caller's LR and the return address of this call, which differ
 * here. The tables describe the caller's LR as LR, and this call's return address as r12. Any
 * return address after the entry's first instruction is right, because the function has made
 * no frame there.
 */
.macro trampoline nr
	.cfi_startproc
	.cfi_return_column 12
	/* DW_CFA_val_expression r12: *(LR + PB_RETURN_ENTRY) + 4 */
	.cfi_escape 0x16, 12, 6, 0x92, DWARF_LR, PB_RETURN_ENTRY, 0x06, 0x23, 4
	.cfi_register DWARF_LR, 0
9:	std	0, HEADER_LR(1)
	.cfi_offset DWARF_LR, HEADER_LR
	stdu	1, -FUNCTION_SIZE(1)
	.cfi_def_cfa_offset FUNCTION_SIZE
	move_args std, \nr, HEADER_SIZE
	/* For debuggers: the arguments of the function's frame. */
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7
	.if \i < \nr
	.cfi_offset \i+3, HEADER_SIZE+8*\i-FUNCTION_SIZE
	.endif
	.endr
	std	11, HEADER_SIZE+REGS_CHAIN(1)
	mflr	11
	mr	4, 0			/* parent_ip */
	ld	3, PB_RETURN_ENTRY(11)	/* ip */
	addi	6, 1, HEADER_SIZE
	addi	0, 3, 4
	std	0, HEADER_LR(1)
	.cfi_offset 12, HEADER_LR-FUNCTION_SIZE
	stdu	1, -OWN_SIZE(1)
	.cfi_def_cfa_offset FRAMES_SIZE
	std	11, OWN_RETURN(1)
	std	2, HEADER_TOC(1)
	.cfi_offset 2, HEADER_TOC-FRAMES_SIZE
	addis	2, 12, (.TOC.-9b)@ha
	addi	2, 2, (.TOC.-9b)@l
	addis	12, 2, pb_thread@got@tprel@ha
	ld	12, pb_thread@got@tprel@l(12)
	ldx	12, 12, pb_thread@tls
	std	12, OWN_THREAD(1)
2:
	cmpdi	12, 0			/* the thread has no reader yet */
	beq-	1f
	ld	0, 0(12)
	cmpdi	0, PB_THREAD_OUTSIDE
	bne-	1f
	std	6, PB_THREAD_FRAME(12)
	/* Set the mark before loading the slot; see pb_quiesce_begin(). */
	ld	11, PB_THREAD_NEXT_PHASE(12)
	std	11, 0(12)
	ld	5, PATCHBAY_SLOT_OFFSET(3)
	ld	12, 0(5)
	/* Acquire: the handler's loads of the cell follow that of cell->enter. */
	lwsync
	mtctr	12
	bctrl
	/* Release: the handler's accesses are complete before the mark is cleared. */
	ld	12, OWN_THREAD(1)
	li	0, PB_THREAD_OUTSIDE
	lwsync
	std	0, 0(12)
	std	0, PB_THREAD_FRAME(12)
0:
	.cfi_remember_state
	ld	2, HEADER_TOC(1)
	.cfi_restore 2
	ld	12, OWN_RETURN(1)
	andi.	0, 12, OWN_CALLED
	mtlr	12
	move_args ld, \nr, OWN_REGS
	ld	11, OWN_REGS+REGS_CHAIN(1)
	/* Unwinders read words that are below r1 now: signal handlers keep clear of these. */
	addi	1, 1, FRAMES_SIZE
	.cfi_def_cfa_offset 0
	ld	0, HEADER_LR(1)
	blr
1:
	.cfi_restore_state
	bl	pb_arch_enter_slowly
	bne	2b
	b	0b
	.cfi_endproc
.endm

/*
 * All trampolines, PB_TRAMPOLINE_SIZE apart, in the order of patch.c. No code calls the symbol,
 * so it needs no local entry.
 */
begin_function pb_arch_trampolines, 8
	.irp	nr, 2, 4, 8
	.balign	PB_TRAMPOLINE_SIZE
	trampoline \nr
	.endr
	/* The assembler reports an error here if a trampoline is too large. */
	.org	pb_arch_trampolines + 3*PB_TRAMPOLINE_SIZE
end_function pb_arch_trampolines

#define SAVING_SIZE (HEADER_SIZE + VECTORS_SIZE)

/*
 * Execute the call instruction \call with the present arguments, and preserve floating-point
 * and vector arguments. r6 points to patchbay_regs, which get a pointer to the saved arguments,
 * so that a handler can change them.
 */
.macro call_saving_vectors name, call:vararg
begin_function \name
	.cfi_startproc
	addis	2, 12, (.TOC.-\name)@ha
	addi	2, 2, (.TOC.-\name)@l
	.localentry \name, .-\name
	mflr	0
	std	0, HEADER_LR(1)
	stdu	1, -SAVING_SIZE(1)
	.cfi_def_cfa_offset SAVING_SIZE
	.cfi_offset DWARF_LR, HEADER_LR
	std	2, HEADER_TOC(1)
	move_vectors stfd, stvx
	addi	11, 1, VECTORS_F
	std	11, REGS_VECTORS(6)
	\call
	ld	2, HEADER_TOC(1)
	move_vectors lfd, lvx
	addi	1, 1, SAVING_SIZE
	.cfi_def_cfa_offset 0
	ld	0, HEADER_LR(1)
	mtlr	0
	.cfi_restore DWARF_LR
	blr
	.cfi_endproc
end_function \name
.endm

/* Call cell->func. r5 points to the cell. */
.macro call_func
	ld	12, CELL_FUNC(5)
	mtctr	12
	bctrl
.endm

call_saving_vectors pb_arch_enter_any, call_func
call_saving_vectors pb_arch_enter_set, bl pb_set_call

/* Call pb_enter_slowly(). Sets CR0 by its result, and the registers that label 2 expects. */
.macro call_slowly
	addi	5, 3, PATCHBAY_SLOT_OFFSET
	bl	pb_enter_slowly
	cmpdi	3, 0
	ld	11, SAVING_SIZE+OWN_RETURN(1)
	ld	3, PB_RETURN_ENTRY(11)
	ld	4, SAVING_SIZE+FRAMES_SIZE+HEADER_LR(1)
	addi	6, 1, SAVING_SIZE+OWN_REGS
	ld	12, SAVING_SIZE+OWN_THREAD(1)
.endm

call_saving_vectors pb_arch_enter_slowly, call_slowly

#define GATE_SIZE (HEADER_SIZE + 64)	/* with 32 bytes for saved registers */

/*
 * r5 points to a gate: enter the function's private cell instead, as the trampoline would. The
 * frame is removed before the jump, because enter functions find the trampoline's frame by the
 * stack pointer.
 */
begin_function pb_arch_enter_gate
	.cfi_startproc
	addis	2, 12, (.TOC.-pb_arch_enter_gate)@ha
	addi	2, 2, (.TOC.-pb_arch_enter_gate)@l
	.localentry pb_arch_enter_gate, .-pb_arch_enter_gate
	mflr	0
	std	0, HEADER_LR(1)
	stdu	1, -GATE_SIZE(1)
	.cfi_def_cfa_offset GATE_SIZE
	.cfi_offset DWARF_LR, HEADER_LR
	std	2, HEADER_TOC(1)
	std	3, GATE_SIZE-32(1)
	std	4, GATE_SIZE-24(1)
	std	6, GATE_SIZE-16(1)
	mr	4, 3			/* ip */
	mr	3, 5			/* the gate */
	bl	pb_gate_find
	mr	5, 3
	ld	3, GATE_SIZE-32(1)
	ld	4, GATE_SIZE-24(1)
	ld	6, GATE_SIZE-16(1)
	addi	1, 1, GATE_SIZE
	.cfi_def_cfa_offset 0
	ld	0, HEADER_LR(1)
	mtlr	0
	.cfi_restore DWARF_LR
	ld	12, CELL_ENTER(5)
	/* Acquire, as in the trampoline. */
	lwsync
	mtctr	12
	bctr
	.cfi_endproc
end_function pb_arch_enter_gate

	.section .note.GNU-stack, "", @progbits
