/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The enter functions of cells whose tracers have an exit handler (exit.h). An enter function
 * calls the function's body.
 *
 * The stack, from above:
 *
 *	arguments on the stack
 *	return address into the caller		parent_ip
 *	site + 5				the site's call
 *	struct patchbay_regs			the trampoline (entry.S)
 *	return address into the trampoline
 *	a copy of parent_ip			struct patchbay_call, down from here;
 *	the caller's frame pointer	<- rbp	frame pointers lead from the body to
 *	...					this function and to the caller
 *	the tracers' words
 *	vector arguments, for exit handlers, too
 *	copies of stack arguments
 *	return address into this function	the body's
 *
 * The body starts after the site's `jb`. When the body returns, this function returns to the
 * trampoline, with the mark that makes the trampoline set CF. The trampoline returns to
 * the site, whose `jb` then jumps to the `ret` in the pad. Each `ret` matches the last
 * `call`.
 */
#include "exit_macros.h"

	.text

.macro return_to_trampoline
	.cfi_remember_state
	leave
	.cfi_def_cfa %rsp, 16
	.cfi_same_value %rbp
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	retq
	.cfi_restore_state
.endm

/* arch.h has the parameters. */
.macro call_body name, vectors, set, any
	begin_call_body \name
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

	.if \set
	movq	%rax, CALL_SET(%rbp)
	movl	SET_MORE(%rax), %eax
	subq	%rax, %rsp
	.else
	movq	$0, CALL_SET(%rbp)
	.endif
	leaq	CALL(%rbp), %rdi
	movq	%rdx, %rsi
	.if \vectors
	subq	$VECTORS_SIZE, %rsp
	andq	$-VECTOR_SIZE, %rsp
	movq	%rsp, CALL_REGS+REGS_VECTORS(%rbp)
	saving_vectors callq pb_call_entry
	.else
	callq	pb_call_entry
	.endif
	.if \set
	testl	$CALL_SKIP, CALL_SINCE(%rbp)
	jnz	.Lskip_\name
	.else
	testl	$(CALL_SKIP+CELL_DIRECT_EXIT), CALL_SINCE(%rbp)
	jnz	.Lanswered_\name
	.endif
	testl	%eax, %eax		/* words of arguments on the stack */
	jz	1f
	leaq	(,%rax,8), %rcx
	subq	%rcx, %rsp
	andq	$-ARGS_ALIGN, %rsp
	movq	%rsp, %rdi
	leaq	STACK_ARGS(%rbp), %rsi
	movl	%eax, %ecx
	rep movsq
1:
	thread_to %r11
	mark_outside %r11
	/* A register that holds no argument may have any value, so load all of them. */
	load_args 7
	movq	SITE_RETURN(%rbp), %rax
	addq	$JB_SIZE, %rax
	.cfi_remember_state
	.cfi_def_cfa_offset STACK_ARGS
	.cfi_offset %rbp, -STACK_ARGS
	/* notrack: no landing pad follows the site. */
	notrack callq *%rax
.Lbody_\name:
	.cfi_restore_state
	movq	%rax, CALL_RAX(%rbp)
	movq	%rdx, CALL_RDX(%rbp)
	.if \vectors
	save_results
	save_x87
	.endif

	/* The body may return on another thread, if a fiber was resumed there. */
	thread_to %r11
	cmpq	$PB_THREAD_OUTSIDE, %fs:(%r11)
	jne	.Lslow_\name
	mark_inside %r11, %rcx, %rcx
.Lskip_\name:
	leaq	CALL(%rbp), %rdi
	callq	pb_call_exit

.Lreturn_\name:
	movl	$-1, CALL_REGS+REGS_CALLED(%rbp)
	.if \vectors
	restore_results
	restore_x87
	.endif
	movq	CALL_RAX(%rbp), %rax
	movq	CALL_RDX(%rbp), %rdx
	/* Store the result where a trampoline that saved rax and rdx loads them at its end. */
	movq	%rax, CALL_REGS+REGS_RAX(%rbp)
	movq	%rdx, CALL_REGS+REGS_RDX(%rbp)
	return_to_trampoline

	.if !\set
.Lanswered_\name:
	testl	$CALL_SKIP, CALL_SINCE(%rbp)
	jnz	.Lskip_\name
	/* patchbay_forgo_exit() was called: return to the trampoline, which runs the body. */
	return_to_trampoline
	.endif

	/*
	 * The thread is inside or has no reader, so it was not marked, and the trampoline must
	 * not clear a mark. Return to the site from here. The return is mispredicted, but this
	 * case is rare.
	 */
.Lslow_\name:
	.if !\vectors
	save_results
	save_x87
	.endif
	leaq	CALL(%rbp), %rdi
	callq	pb_call_exit_slowly
	restore_results
	restore_x87
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

	/* An exception passes through this frame. rax points to the exception. */
.Lunwind_\name:
	.cfi_def_cfa %rbp, STACK_ARGS
	.cfi_offset %rbp, -STACK_ARGS
	movq	%rax, CALL_RAX(%rbp)
	leaq	CALL(%rbp), %rdi
	callq	pb_call_unwound
	movq	CALL_RAX(%rbp), %rdi
	/* Unwinders do not drop the shadow stack entries of the trampoline and of the site. */
	drop_shadow 2
	callq	pb_call_resume
	ud2
	end_call_body \name
.endm

call_body pb_arch_call_fast, 0, 0
call_body pb_arch_call_any, 1, 0
call_body pb_arch_call_any_set, 1, 1
call_body pb_arch_call_set, 0, 1, pb_arch_call_any_set

	.section .note.GNU-stack, "", @progbits
