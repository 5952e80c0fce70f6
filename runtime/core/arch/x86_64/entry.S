/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What an armed site calls, by way of a stub of its module.
 *
 * The site's `call` has pushed its return address over the function's own:
 *
 *	rsp+8   return address into the caller      parent_ip
 *	rsp     site + 5                            leads to entry and slot
 *
 * Live here: the argument registers (rdi rsi rdx rcx r8 r9, xmm/ymm/zmm 0-7),
 * al (vector registers used by `...`), r10 (static chain). r11 is nobody's and
 * the flags are dead. We return to the site's `jb`: with CF clear, and the body
 * is next; or set, if what the cell says has called the body already (exit.S).
 *
 * Of the argument registers a function leaves those dead that it has no
 * arguments for, and its record tells how many it has. Saving and loading them
 * is most of what a call costs here, so there is a trampoline for each case.
 *
 * An unwinder needs nothing special: the site is in the function, before its
 * prologue, and the call frame below is described as of any other code.
 */
#include "direct.h"

	.text

/* \nr argument registers: 2, 4, or 7 for all six and al. */
.macro save_regs nr
	movq	%r10, (%rsp)
	movq	%rdi, 8(%rsp)
	movq	%rsi, 16(%rsp)
	movq	$PB_FRAME_MARK, REGS_MARK(%rsp)	/* and 0 for REGS_CALLED */
	.if \nr >= 4
	movq	%rdx, 24(%rsp)
	movq	%rcx, 32(%rsp)
	.endif
	.if \nr >= 7
	movq	%r8, 40(%rsp)
	movq	%r9, 48(%rsp)
	movq	%rax, 56(%rsp)
	.endif
.endm

.macro restore_regs nr
	movq	(%rsp), %r10
	movq	8(%rsp), %rdi
	movq	16(%rsp), %rsi
	.if \nr >= 4
	movq	24(%rsp), %rdx
	movq	32(%rsp), %rcx
	.endif
	.if \nr >= 7
	movq	40(%rsp), %r8
	movq	48(%rsp), %r9
	movq	56(%rsp), %rax
	.endif
.endm

/*
 * The trampoline of sites whose `call` ends \from bytes behind the entry, in
 * functions with \nr argument registers.
 *
 * Before a thread is marked as inside it may look at the slot and at the cell's
 * since, to choose its way: all cells that a slot has led to are there as long as
 * the function. It may not act on what it saw there: the slot may lead to another
 * cell by now, and that cell may be of other functions.
 *
 * A module has the same for itself (reach.c), but for .Lexits, where it comes here:
 * it is made by the pass (llvm-pass/Targets/X86_64.cpp). What is changed here, or in
 * what cells and threads look like, is changed there, and PATCHBAY_X86_64_LAYOUT with
 * it.
 */
.macro trampoline from, nr
	.p2align 6
	.cfi_startproc
	.cfi_personality 0x1b, pb_call_personality
	.cfi_lsda 0x1b, .Llsda_\@
	endbr64
	subq	$REGS_SIZE, %rsp
	.cfi_adjust_cfa_offset REGS_SIZE
	save_regs \nr
	movq	REGS_SIZE(%rsp), %r11
	movq	PATCHBAY_SLOT_OFFSET-\from(%r11), %r11
	movq	CELL_SINCE(%r11), %rax	/* al is kept, if there is one */
	testb	$(CELL_DIRECT_EXIT+CELL_DIRECT_BOTH), %al
	jnz	.Lexits_\@
.Lgeneral_\@:
	movq	pb_thread@gottpoff(%rip), %rax
	movq	REGS_SIZE(%rsp), %rdi	/* site + 5 */
	movq	REGS_SIZE+8(%rsp), %rsi	/* parent_ip */
	movq	%rsp, %rcx
	cmpq	$PB_THREAD_OUTSIDE, %fs:(%rax)
	jne	1f
	movq	%rcx, %fs:PB_THREAD_FRAME(%rax)
	/*
	 * The mark comes before the load of the slot; see pb_quiesce_begin(). What
	 * was loaded before may be the cell of other functions by now.
	 */
	movq	pb_quiesce_phase(%rip), %rdx
	movq	%rdx, %fs:(%rax)
	movq	PATCHBAY_SLOT_OFFSET-\from(%rdi), %rdx
	subq	$\from, %rdi
	callq	*CELL_ENTER(%rdx)
	movq	pb_thread@gottpoff(%rip), %r11
	btl	$31, REGS_CALLED(%rsp)	/* to CF */
	mark_outside %r11
.Lleave_\@:
	.cfi_remember_state
	restore_regs \nr
	leaq	REGS_SIZE(%rsp), %rsp	/* CF stays for the site's jb */
	.cfi_adjust_cfa_offset -REGS_SIZE
	retq
1:
	.cfi_restore_state
	leaq	PATCHBAY_SLOT_OFFSET-\from(%rdi), %rdx
	subq	$\from, %rdi
	callq	pb_x86_64_enter_slowly
	testl	%eax, %eax		/* CF = 0 */
	jz	.Lleave_\@
.Lagain_\@:
	movq	REGS_SIZE(%rsp), %r11
	movq	PATCHBAY_SLOT_OFFSET-\from(%r11), %r11
	jmp	.Lgeneral_\@
.Lexits_\@:
	.pushsection .rodata.pb_x86_64_exits, "a", @progbits
	.long	.Lexits_\@ - pb_x86_64_trampolines
	.popsection
	call_directly \from, \nr, \@
	.cfi_endproc
.endm

/*
 * All of them, PB_TRAMPOLINE_SIZE apart, in the order of the ABI: by registers,
 * then by where the site is. Each is behind what the stubs lead to at first.
 */
	.section .rodata.pb_x86_64_exits, "a", @progbits
	.globl	pb_x86_64_exits
	.hidden	pb_x86_64_exits
	.type	pb_x86_64_exits, @object
	.p2align 2
pb_x86_64_exits:
	.text
	.globl	pb_x86_64_trampolines
	.hidden	pb_x86_64_trampolines
	.type	pb_x86_64_trampolines, @function
	.p2align 6
pb_x86_64_trampolines:
	.irp	nr, 2, 4, 7
	.irp	from, PATCHBAY_X86_64_SITE_BRANCH_SIZE, \
		(PATCHBAY_X86_64_ENDBR64_SIZE+PATCHBAY_X86_64_SITE_BRANCH_SIZE)
	.balign	PB_TRAMPOLINE_SIZE
	.cfi_startproc
	endbr64
	clc
	retq
	.cfi_endproc
	.balign	PB_TRAMPOLINE_OPEN
	trampoline \from, \nr
	.endr
	.endr
	/* An error if one of them outgrew its place. */
	.org	pb_x86_64_trampolines + 6*PB_TRAMPOLINE_SIZE
	.size	pb_x86_64_trampolines, .-pb_x86_64_trampolines
	.section .rodata.pb_x86_64_exits, "a", @progbits
	.size	pb_x86_64_exits, .-pb_x86_64_exits
	.text

/*
 * Call \target with the arguments that are in place, and leave every vector
 * argument as it was, or as the registers in rcx are told where it is.
 */
.macro call_saving_vectors name, target
	.type	\name, @function
	.p2align 4
\name:
	.cfi_startproc
	endbr64
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	subq	$VECTORS_SIZE, %rsp
	andq	$-VECTOR_SIZE, %rsp
	movq	%rsp, REGS_VECTORS(%rcx)
	saving_vectors callq \target
	leave
	.cfi_def_cfa %rsp, 8
	retq
	.cfi_endproc
	.size	\name, .-\name
.endm

	.globl	pb_arch_enter_any
	.hidden	pb_arch_enter_any
call_saving_vectors pb_arch_enter_any, *CELL_FUNC(%rdx)

	.globl	pb_arch_enter_set
	.hidden	pb_arch_enter_set
call_saving_vectors pb_arch_enter_set, pb_set_call

	.globl	pb_x86_64_enter_slowly
	.hidden	pb_x86_64_enter_slowly
call_saving_vectors pb_x86_64_enter_slowly, pb_enter_slowly

/*
 * Enter the function's own cell instead of the gate in rdx, as if the trampoline
 * had: what it calls knows the trampoline's frame by its own.
 */
	.globl	pb_arch_enter_gate
	.hidden	pb_arch_enter_gate
	.type	pb_arch_enter_gate, @function
	.p2align 4
pb_arch_enter_gate:
	.cfi_startproc
	endbr64
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	pushq	%rcx
	.cfi_adjust_cfa_offset 8
	movq	%rdi, %rsi		/* ip */
	movq	%rdx, %rdi		/* the gate */
	callq	pb_gate_find
	movq	%rax, %rdx
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	jmpq	*CELL_ENTER(%rdx)
	.cfi_endproc
	.size	pb_arch_enter_gate, .-pb_arch_enter_gate

	.section .note.GNU-stack, "", @progbits
