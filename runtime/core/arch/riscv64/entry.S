/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Trampolines. An armed site calls a trampoline through a stub (insn.h), with:
 *
 *	t0      return address into the function, after the site
 *	ra      return address into the caller      parent_ip
 *
 * Live registers: the arguments (a0-a7, fa0-fa7), and the static chain in t2 or, with
 * landing pads, in t3. The trampoline does not touch gp and tp. All other caller-saved
 * registers are dead: functions that LLVM's fastcc passes arguments to in t4-t6 have no
 * site.
 *
 * Processors treat t0 as an alternate link register. The site's `jalr t0` pushes onto the
 * return-address stack, and the trampoline's `jr t0` pops it (Unprivileged ISA, 2.5.1,
 * table of hints). If the cell's enter function has called the body already (exit.S), the
 * trampoline does not return to the site. Then a mispredicted jump pops the address. Neither
 * jump needs a landing pad. Only the body pushes and pops shadow stacks (Zicfiss).
 *
 * Argument registers that the function does not use are dead. The function's record has the
 * number of arguments. Each number of registers to save has its own trampoline.
 *
 * The unwind tables give t0 as the return address, like those of libgcc's __riscv_save_0.
 * Unwinders that follow s0 find handler, function and caller by the frame records at the end
 * of the frame (entry.h).
 */
#include "entry.h"
#include "quiesce/quiesce.h"
#include "vectors.h"

#include <patchbay/abi.h>

	/* Linker relaxation must not change alignment or branch distances. */
	.option	norelax

	.text

/*
 * The trampoline of functions with \nr argument registers, 2, 4 or 8, whose site is
 * \behind bytes after the entry.
 */
.macro trampoline nr, behind
	.cfi_startproc
	.cfi_return_column t0
	landing_pad
	addi	sp, sp, -REGS_SIZE
	.cfi_def_cfa_offset REGS_SIZE
	move_args sd, \nr
	/* For debuggers: the arguments of the function's frame. */
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7
	.if \i < \nr
	.cfi_offset a\i, 8*\i-REGS_SIZE
	.endif
	.endr
	sd	t2, FRAME_CHAIN(sp)
	sd	t3, FRAME_CHAIN+8(sp)
	sd	t0, FRAME_BACK(sp)
	.cfi_offset t0, FRAME_BACK-REGS_SIZE
	sd	s0, FRAME_CALLER(sp)
	.cfi_offset s0, FRAME_CALLER-REGS_SIZE
	sd	ra, FRAME_CALLER+8(sp)
	.cfi_offset ra, FRAME_CALLER+8-REGS_SIZE
	addi	t1, sp, REGS_SIZE
	sd	t1, FRAME_OWN(sp)
	addi	s0, sp, FRAME_CALLER
	la.tls.ie t1, pb_thread
	add	t1, t1, tp
	ld	t1, 0(t1)
	sd	t1, FRAME_THREAD(sp)
	addi	a0, t0, -(PATCHBAY_RISCV64_SITE_SIZE+\behind)	/* ip */
	mv	a1, ra			/* parent_ip */
2:
	mv	a3, sp
	beqz	t1, 1f			/* the thread has no reader yet */
	ld	t3, 0(t1)
	bnez	t3, 1f			/* PB_THREAD_OUTSIDE is 0 */
	sd	a3, PB_THREAD_FRAME(t1)
	/* Set the mark before loading the slot; see pb_quiesce_begin(). */
	ld	t3, PB_THREAD_NEXT_PHASE(t1)
	sd	t3, 0(t1)
	ld	a2, PATCHBAY_SLOT_OFFSET(a0)
	ld	t1, 0(a2)
	/* Acquire: the handler's loads of the cell follow that of cell->enter. */
	fence	r, rw
	jalr	t1
	/* Release: the handler's accesses are complete before the mark is cleared. */
	ld	t1, FRAME_THREAD(sp)
	beqz	t1, 4f
	fence	rw, w
	sd	zero, 0(t1)
	sd	zero, PB_THREAD_FRAME(t1)
0:
	move_args ld, \nr
	ld	t2, FRAME_CHAIN(sp)
	ld	t3, FRAME_CHAIN+8(sp)
	.cfi_remember_state
	ld	t0, FRAME_BACK(sp)
	.cfi_same_value t0
	ld	ra, FRAME_CALLER+8(sp)
	.cfi_same_value ra
	ld	s0, FRAME_CALLER(sp)
	.cfi_same_value s0
	addi	sp, sp, REGS_SIZE
	.cfi_def_cfa_offset 0
	jr	t0
1:
	.cfi_restore_state
	addi	a2, a0, PATCHBAY_SLOT_OFFSET
	call	pb_arch_enter_slowly
	ld	t1, FRAME_THREAD(sp)
	bnez	a0, 3f
	bnez	t1, 0b
4:
	j	pb_arch_body_was_called
3:
	ld	a0, FRAME_BACK(sp)
	addi	a0, a0, -(PATCHBAY_RISCV64_SITE_SIZE+\behind)
	ld	a1, FRAME_CALLER+8(sp)
	j	2b
	.cfi_endproc
.endm

/*
 * All trampolines, PB_TRAMPOLINE_SIZE apart, in the order of pb_riscv64_trampoline().
 */
begin_function pb_arch_trampolines, 8
	.irp	nr, 2, 4, 8
	.balign	PB_TRAMPOLINE_SIZE
	trampoline \nr, 0
	.balign	PB_TRAMPOLINE_SIZE
	trampoline \nr, PATCHBAY_RISCV64_LPAD_SIZE
	.endr
	/* The assembler reports an error here if a trampoline is too large. */
	.org	pb_arch_trampolines + 6*PB_TRAMPOLINE_SIZE
end_function pb_arch_trampolines

/* Return to the caller. exit.S has replaced the saved a0 and a1 by the result. */
begin_function pb_arch_body_was_called
	.cfi_startproc
	.cfi_def_cfa_offset REGS_SIZE
	.cfi_offset s0, FRAME_CALLER-REGS_SIZE
	.cfi_offset ra, FRAME_CALLER+8-REGS_SIZE
	ld	a0, 0(sp)
	ld	a1, 8(sp)
	ld	ra, FRAME_CALLER+8(sp)
	.cfi_same_value ra
	ld	s0, FRAME_CALLER(sp)
	.cfi_same_value s0
	addi	sp, sp, REGS_SIZE
	.cfi_def_cfa_offset 0
	/* Make the processor pop the return address that the site has pushed. */
	lla	t0, 0f
	jr	t0
0:
	ret
	.cfi_endproc
end_function pb_arch_body_was_called

/*
 * Execute the call instruction \call with the present arguments, and preserve floating-point
 * arguments. a3 points to patchbay_regs, which get a pointer to the saved arguments, so that a
 * handler can change them.
 */
.macro call_saving_vectors name, call:vararg
begin_function \name
	.cfi_startproc
	landing_pad
	addi	sp, sp, -(VECTORS_SIZE+16)
	.cfi_def_cfa_offset VECTORS_SIZE+16
	sd	s0, VECTORS_SIZE(sp)
	sd	ra, VECTORS_SIZE+8(sp)
	.cfi_offset s0, -16
	.cfi_offset ra, -8
	addi	s0, sp, VECTORS_SIZE+16
	move_vectors fsd
	sd	sp, REGS_VECTORS(a3)
	\call
	move_vectors fld
	ld	s0, VECTORS_SIZE(sp)
	ld	ra, VECTORS_SIZE+8(sp)
	.cfi_restore s0
	.cfi_restore ra
	addi	sp, sp, VECTORS_SIZE+16
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
end_function \name
.endm

/* Call cell->func. a2 points to the cell. */
.macro call_func
	ld	t1, CELL_FUNC(a2)
	jalr	t1
.endm

call_saving_vectors pb_arch_enter_any, call_func
call_saving_vectors pb_arch_enter_set, call pb_set_call
call_saving_vectors pb_arch_enter_slowly, call pb_enter_slowly

	.section .note.GNU-stack, "", @progbits
