/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The trampoline that an armed site calls, as an assembler macro. The library's
 * trampolines (entry.S) and modules' own trampolines (own.h) use this macro.
 */
#include "frame.h"

/*
 * Save \nr argument registers below the stack pointer: 2, 4, or 7 for all six. For 7 the
 * trampoline has saved al.
 */
.macro save_regs nr
	movq	%r10, -REGS_SIZE(%rsp)
	movq	%rdi, 8-REGS_SIZE(%rsp)
	movq	%rsi, 16-REGS_SIZE(%rsp)
	movq	$PB_FRAME_MARK, REGS_MARK-REGS_SIZE(%rsp)	/* and 0 for REGS_CALLED */
	.if \nr >= 4
	movq	%rdx, 24-REGS_SIZE(%rsp)
	movq	%rcx, 32-REGS_SIZE(%rsp)
	.endif
	.if \nr >= 7
	movq	%r8, 40-REGS_SIZE(%rsp)
	movq	%r9, 48-REGS_SIZE(%rsp)
	.endif
.endm

.macro restore_regs nr
	load_args \nr, 0, %rsp
	.if \nr >= 7
	movq	56(%rsp), %rax
	.endif
.endm

/*
 * The trampoline of sites whose `call` ends \from bytes after the entry, in functions with
 * \nr argument registers. \id makes the labels unique. \exits is the direct way of functions
 * with exits (direct.h).
 *
 * Before the trampoline marks the thread as inside, it may read the slot and cell->since, to
 * choose its way: every cell that a slot has pointed to exists as long as the function. The
 * trampoline must not use these values for anything else: later the slot may point to another
 * cell, and the old cell may belong to other functions.
 */
.macro trampoline from, nr, id, exits
	.cfi_remember_state
	endbr64
	.if \nr >= 7
	movq	%rax, REGS_RAX-REGS_SIZE(%rsp)	/* al */
	.endif
	movq	(%rsp), %r11		/* site + 5 */
	movq	PATCHBAY_SLOT_OFFSET-\from(%r11), %rax
	movq	CELL_SINCE(%rax), %rax
	testb	$(CELL_DIRECT_EXIT+CELL_DIRECT_BOTH+CELL_DIRECT_SET+CELL_DIRECT_TIMED), %al
	jnz	.Ldirect_\id
.Lsave_\id:
	save_regs \nr			/* in the red zone */
	args_saved \nr
	subq	$REGS_SIZE, %rsp
	.cfi_adjust_cfa_offset REGS_SIZE
.Lgeneral_\id:
	thread_to %rax
	movq	REGS_SIZE+8(%rsp), %rsi	/* parent_ip */
	movq	%rsp, %rcx
	cmpq	$PB_THREAD_OUTSIDE, %fs:(%rax)
	jne	.Lslowly_\id
	movq	%rcx, %fs:PB_THREAD_FRAME(%rax)
	/*
	 * Set the mark before loading the slot; see pb_quiesce_begin(). The cell that was
	 * loaded above may belong to other functions by now.
	 */
	movq	%fs:PB_THREAD_NEXT_PHASE(%rax), %rdx
	movq	%rdx, %fs:(%rax)
	movq	PATCHBAY_SLOT_OFFSET-\from(%r11), %rdx
	leaq	-\from(%r11), %rdi
	callq	*CELL_ENTER(%rdx)
	thread_to %r11
	btl	$31, REGS_CALLED(%rsp)	/* to CF */
	mark_outside %r11
.Lleave_\id:
	.cfi_remember_state
	restore_regs \nr
	leaq	REGS_SIZE(%rsp), %rsp	/* keeps CF for the site's jb */
	.cfi_adjust_cfa_offset -REGS_SIZE
	retq
.Lslowly_\id:
	.cfi_restore_state
	leaq	PATCHBAY_SLOT_OFFSET-\from(%r11), %rdx
	leaq	-\from(%r11), %rdi
	call_slowly
	testl	%eax, %eax		/* CF = 0 */
	jz	.Lleave_\id
	movq	REGS_SIZE(%rsp), %r11
	jmp	.Lgeneral_\id
.Ldirect_\id:
	.cfi_restore_state
	js	.Ltimed_\exits		/* CELL_DIRECT_TIMED */
	.cfi_remember_state
	save_regs \nr
	args_saved \nr
	jmp	.Lexits_\exits
	.cfi_restore_state
.endm
