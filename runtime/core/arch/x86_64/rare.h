/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The rare cases of the direct way (direct.h). Only the library has this code: modules' own
 * trampolines (own.h) jump here, with the frame that they have made.
 */
#include "exit_macros.h"

.macro personality
	.cfi_personality 0x1b, pb_call_personality
.endm

.macro rare_exits from, id
	/* The tracers have changed: pb_call_exit() calls those that saw the entry. */
.Lchanged_\id:
	movq	%rdi, CALL_IP(%rbp)
	movq	$-1, CALL_TOLD(%rbp)
	leaq	CALL(%rbp), %rdi
	callq	pb_call_exit
	jmp	.Loutside_\id

.Lslow_\id:
	save_results
	movq	SITE_RETURN(%rbp), %rdi
	subq	$\from, %rdi
	movq	%rdi, CALL_IP(%rbp)
	save_x87
	movq	$-1, CALL_TOLD(%rbp)
	leaq	CALL(%rbp), %rdi
	callq	pb_call_exit_slowly
	restore_results
	restore_x87
	jmp	.Lreturn_\id
.endm

/* An exception passes through this frame. rax points to the exception. */
.macro unwound from, id
	movq	%rax, CALL_RAX(%rbp)
	movq	SITE_RETURN(%rbp), %rdi
	subq	$\from, %rdi
	movq	%rdi, CALL_IP(%rbp)
	movq	$-1, CALL_TOLD(%rbp)
	leaq	CALL(%rbp), %rdi
	callq	pb_call_unwound
	movq	CALL_RAX(%rbp), %rdi
	drop_shadow 1			/* the site's frame */
	callq	pb_call_resume
	ud2
.endm
