/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calling a function's body for it: what cells enter whose tracers want to know
 * of the exit (exit.h).
 *
 * The stack, from above:
 *
 *	arguments on the stack
 *	return address into the caller		parent_ip
 *	site + 5				the site's call
 *	struct patchbay_regs			the trampoline (entry.S)
 *	return address into the trampoline
 *	parent_ip, once more			struct patchbay_call, down from here;
 *	the caller's frame pointer	<- rbp	so frame pointers lead from the body
 *	...					to us and to the caller
 *	the tracers' words
 *	arguments on the stack, copied
 *	return address into us			the body's
 *
 * The body is what comes behind the site's `jb`. When it returns, so do we, to
 * the trampoline, with the mark that makes it set CF; it returns to the site,
 * whose `jb` then leads to the `ret` in the pad. Each `ret` is of the last
 * `call`.
 *
 * To unwinders we look as if the caller had called us: the site's frame is
 * skipped, because the tables of C++ functions say that no exception comes from
 * there, and the trampoline's with it.
 */
#include "entry.h"
#include "quiesce.h"

#include <patchbay/abi.h>

#include <cet.h>

/* struct patchbay_call up to rbp, and a word; rsp is aligned below it. */
#define FRAME_SIZE (-CALL + 8)

/* Behind the site's call, which is where it returns to. */
#define JB_SIZE (PATCHBAY_X86_64_SITE_SIZE-PATCHBAY_X86_64_SITE_BRANCH_SIZE)
#define SITE_RETURN (CALL_REGS + REGS_SIZE)
#define STACK_ARGS (SITE_RETURN + 16)

#define X87_SIZE 112 /* of fnsave, rounded up */

	.text

/* Drop \nr entries of the shadow stack, if there is one. Clobbers rcx. */
.macro drop_shadow nr
	xorl	%ecx, %ecx
	rdsspq	%rcx
	testq	%rcx, %rcx
	jz	1f
	movl	$\nr, %ecx
	incsspq	%rcx
1:
.endm

/* Vector registers 0 and 1, at the width that the processor has. */
.macro move_results from0, to0, from1, to1, kind
	.ifc \kind, xmm
	movups	\from0, \to0
	movups	\from1, \to1
	.else
	vmovups	\from0, \to0
	vmovups	\from1, \to1
	.endif
.endm

.macro save_results
	cmpb	$PB_ISA_AVX, pb_x86_64_isa(%rip)
	ja	2f
	je	1f
	move_results %xmm0, CALL_VECTOR0(%rbp), %xmm1, CALL_VECTOR1(%rbp), xmm
	jmp	3f
1:	move_results %ymm0, CALL_VECTOR0(%rbp), %ymm1, CALL_VECTOR1(%rbp), ymm
	vzeroupper
	jmp	3f
2:	move_results %zmm0, CALL_VECTOR0(%rbp), %zmm1, CALL_VECTOR1(%rbp), zmm
	vzeroupper
3:
.endm

.macro restore_results
	cmpb	$PB_ISA_AVX, pb_x86_64_isa(%rip)
	ja	2f
	je	1f
	move_results CALL_VECTOR0(%rbp), %xmm0, CALL_VECTOR1(%rbp), %xmm1, xmm
	jmp	3f
1:	move_results CALL_VECTOR0(%rbp), %ymm0, CALL_VECTOR1(%rbp), %ymm1, ymm
	jmp	3f
2:	move_results CALL_VECTOR0(%rbp), %zmm0, CALL_VECTOR1(%rbp), %zmm1, zmm
3:
.endm

/* A result in x87 registers is kept where the stack ends, and they are empty. */
.macro save_x87
	movq	CALL_IP(%rbp), %rcx
	movq	PATCHBAY_SLOT_OFFSET(%rcx), %rcx
	movq	CELL_RECORD(%rcx), %rcx
	movzbl	RECORD_FLAGS(%rcx), %ecx
	notl	%ecx
	testl	$PATCHBAY_RECORD_RETURN_OTHER, %ecx
	jnz	1f
	subq	$X87_SIZE, %rsp
	fnsave	(%rsp)
	orl	$CALL_X87, CALL_SINCE(%rbp)
1:
.endm

.macro restore_x87
	testl	$CALL_X87, CALL_SINCE(%rbp)
	jz	1f
	frstor	(%rsp)
1:
.endm

/*
 * \name: for cells that say so.
 * \entry:   1: call cell->func before the body
 * \members: 0: \entry and cell->exit are called from here, FAST handlers on a
 *              function without arguments on the stack, whose result is in
 *              integer registers or nowhere
 *           1: anything, through call.c
 * \vectors: handlers may use vector registers
 * \set:     cell->set says who they are, not the cell itself
 * \any:     with \set, and without \vectors: what to go on with if the set has
 *           handlers that do, because the cell was given another
 */
.macro call_body name, entry, members, vectors, set, any
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align 6
\name:
	.cfi_startproc
	.cfi_personality 0x1b, pb_call_personality
	.cfi_lsda 0x1b, .Llsda_\name
	endbr64
	.if \set
	movq	CELL_SET(%rdx), %rax
	.ifnb \any
	cmpl	$0, SET_FAST_EXITS(%rax)
	je	\any
	.endif
	.endif
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	subq	$FRAME_SIZE, %rsp
	movq	%rdi, CALL_IP(%rbp)

	.if \members
	.if \set
	movq	%rax, CALL_SET(%rbp)
	.else
	movq	$0, CALL_SET(%rbp)
	.endif
	leaq	CALL(%rbp), %rdi
	callq	pb_call_begin		/* bytes for more words */
	subq	%rax, %rsp
	leaq	CALL(%rbp), %rdi
	.if \vectors
	callq	pb_call_entry_any
	.else
	callq	pb_call_entry
	.endif
	testl	$CALL_SKIP, CALL_SINCE(%rbp)
	jnz	.Lskip_\name
	testl	%eax, %eax		/* words of arguments on the stack */
	jz	1f
	leaq	(,%rax,8), %rcx
	subq	%rcx, %rsp
	andq	$-16, %rsp
	movq	%rsp, %rdi
	leaq	STACK_ARGS(%rbp), %rsi
	movl	%eax, %ecx
	rep movsq
1:
	.else
	movq	CELL_SINCE(%rdx), %rax
	movq	%rax, CALL_SINCE(%rbp)	/* its word is 0: no PATCHBAY_EXIT_ */
	.if \entry
	callq	*CELL_FUNC(%rdx)
	testl	$CALL_SKIP, CALL_SINCE(%rbp)
	jnz	.Linside_\name
	.endif
	.endif

	movq	pb_thread@gottpoff(%rip), %r11
	movq	$PB_THREAD_OUTSIDE, %fs:(%r11)
	/* What is not an argument of the function may be anything. */
	movq	CALL_REGS+8(%rbp), %rdi
	movq	CALL_REGS+16(%rbp), %rsi
	movq	CALL_REGS+REGS_RDX(%rbp), %rdx
	movq	CALL_REGS+32(%rbp), %rcx
	.if \entry
	movq	CALL_REGS(%rbp), %r10
	movq	CALL_REGS+40(%rbp), %r8
	movq	CALL_REGS+48(%rbp), %r9
	.endif
	movq	SITE_RETURN(%rbp), %rax
	addq	$JB_SIZE, %rax
	.cfi_remember_state
	.cfi_def_cfa_offset STACK_ARGS
	.cfi_offset %rbp, -STACK_ARGS
	/* There is no landing pad behind the site. */
	notrack callq *%rax
.Lbody_\name:
	.cfi_restore_state
	movq	%rax, CALL_RAX(%rbp)
	movq	%rdx, CALL_RDX(%rbp)
	.if \vectors
	save_results
	save_x87
	.endif

	/* It may be another thread by now: a fiber that was resumed there. */
	movq	pb_thread@gottpoff(%rip), %r11
	cmpq	$PB_THREAD_OUTSIDE, %fs:(%r11)
	jne	.Lslow_\name
	movq	pb_quiesce_phase(%rip), %rcx
	movq	%rcx, %fs:(%r11)
	.if \members
.Lskip_\name:
	leaq	CALL(%rbp), %rdi
	callq	pb_call_exit
	.else
	.if \entry
.Linside_\name:
	.endif
	movq	CALL_IP(%rbp), %rdi
	movq	PATCHBAY_SLOT_OFFSET(%rdi), %rdx
	leaq	\name(%rip), %rcx
	cmpq	%rcx, CELL_ENTER(%rdx)
	jne	.Lchanged_\name
	movq	CELL_SINCE(%rdx), %rcx
	cmpq	%rcx, CALL_SINCE(%rbp)
	jne	.Lchanged_\name
	movq	CALL_PARENT(%rbp), %rsi
	leaq	CALL_REGS(%rbp), %rcx
	callq	*CELL_EXIT(%rdx)
	.endif

.Lreturn_\name:
	movq	pb_thread@gottpoff(%rip), %r11
	movq	$PB_THREAD_CALLED, %fs:(%r11)
	.if \vectors
	restore_results
	restore_x87
	.endif
	movq	CALL_RAX(%rbp), %rax
	movq	CALL_RDX(%rbp), %rdx
	/* The trampoline loads these again, if the function has such arguments. */
	movq	%rax, CALL_REGS+REGS_RAX(%rbp)
	movq	%rdx, CALL_REGS+REGS_RDX(%rbp)
	.cfi_remember_state
	leave
	.cfi_def_cfa %rsp, 16
	.cfi_same_value %rbp
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	retq
	.cfi_restore_state

	.if !\members
	/* Other tracers are armed here by now: who was at the entry? */
.Lchanged_\name:
	movq	$-1, CALL_TOLD(%rbp)
	leaq	CALL(%rbp), %rdi
	callq	pb_call_exit
	jmp	.Lreturn_\name
	.endif

	/*
	 * The thread cannot simply be marked, so neither can the way back be
	 * by the trampoline: we return to the site in its place. What processors
	 * predict does not matter here.
	 */
.Lslow_\name:
	.if !\vectors
	save_results
	.endif
	.if !\members
	movq	$-1, CALL_TOLD(%rbp)
	.endif
	leaq	CALL(%rbp), %rdi
	callq	pb_call_exit_slowly
	restore_results
	.if \vectors
	restore_x87
	.endif
	movq	CALL_RAX(%rbp), %rax
	movq	CALL_RDX(%rbp), %rdx
	drop_shadow 1
	leaq	SITE_RETURN(%rbp), %rsp
	.cfi_def_cfa %rsp, 16
	.cfi_offset %rbp, -STACK_ARGS
	movq	-SITE_RETURN(%rsp), %rbp	/* in the red zone */
	.cfi_same_value %rbp
	stc
	retq

	/* An exception passes, and is in rax. */
.Lunwind_\name:
	.cfi_def_cfa %rbp, STACK_ARGS
	.cfi_offset %rbp, -STACK_ARGS
	movq	%rax, CALL_RAX(%rbp)
	.if !\members
	movq	$-1, CALL_TOLD(%rbp)
	.endif
	leaq	CALL(%rbp), %rdi
	callq	pb_call_unwound
	movq	CALL_RAX(%rbp), %rdi
	/* Frames that unwinders do not know of: the trampoline's, the site's. */
	drop_shadow 2
	callq	_Unwind_Resume@PLT
	ud2
	.cfi_endproc
	.size	\name, .-\name

	.section .rodata.pb_call, "a", @progbits
	.p2align 2
.Llsda_\name:
	.long	.Lbody_\name - .
	.long	.Lunwind_\name - .
	.previous
.endm

call_body pb_arch_call_exit, 0, 0, 0, 0
call_body pb_arch_call_both, 1, 0, 0, 0
call_body pb_arch_call_any, 1, 1, 1, 0
call_body pb_arch_call_any_set, 1, 1, 1, 1
call_body pb_arch_call_set, 1, 1, 0, 1, pb_arch_call_any_set

	.section .note.GNU-stack, "", @progbits
