/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * For assembler: the frames of trampolines and of the functions that call a body, and the
 * thread's mark. The file that includes this one (exit_macros.h or own.h) defines the macros
 * words_to and thread_to, which find struct pb_thread and the thread's reader.
 */
#pragma once

#include "entry.h"
#include "quiesce/quiesce.h"

#include <patchbay/abi.h>

/* struct patchbay_call up to rbp, and a word; rsp is aligned below it. */
#define FRAME_SIZE (-CALL + 8)

/* The size of the `jb` to which the site's call returns. */
#define JB_SIZE (PATCHBAY_X86_64_SITE_SIZE-PATCHBAY_X86_64_SITE_BRANCH_SIZE)
#define SITE_RETURN (CALL_REGS + REGS_SIZE)
#define STACK_ARGS (SITE_RETURN + 16)

/* The largest alignment of arguments on the stack. */
#define ARGS_ALIGN PATCHBAY_RECORD_STACK_ALIGN_MAX

/*
 * Mark the thread as inside. rbp gives the trampoline's frame. \thread is the offset of the
 * thread's reader from %fs:0. Makes \regs point to struct patchbay_regs. Clobbers \temp.
 */
.macro mark_inside thread, regs, temp
	leaq	CALL_REGS(%rbp), \regs
	movq	\regs, %fs:PB_THREAD_FRAME(\thread)
	movq	%fs:PB_THREAD_NEXT_PHASE(\thread), \temp
	movq	\temp, %fs:(\thread)
.endm

/* Mark the thread as outside. reader.h has the reason for this order of stores. */
.macro mark_outside thread
	movq	$PB_THREAD_OUTSIDE, %fs:(\thread)
	movq	$0, %fs:PB_THREAD_FRAME(\thread)
.endm

/* Load \nr argument registers from struct patchbay_regs: 2, 4, or 7 for all six. */
.macro load_args nr, regs=CALL_REGS, base=%rbp
	movq	\regs(\base), %r10
	movq	\regs+8(\base), %rdi
	movq	\regs+16(\base), %rsi
	.if \nr >= 4
	movq	\regs+REGS_RDX(\base), %rdx
	movq	\regs+32(\base), %rcx
	.endif
	.if \nr >= 7
	movq	\regs+40(\base), %r8
	movq	\regs+48(\base), %r9
	.endif
.endm

/*
 * For debuggers: \nr argument registers of the site's frame are saved in struct patchbay_regs,
 * at the bottom of the trampoline's frame.
 */
.macro args_saved nr
	.cfi_offset %rdi, 8-(REGS_SIZE+8)
	.cfi_offset %rsi, 16-(REGS_SIZE+8)
	.if \nr >= 4
	.cfi_offset %rdx, REGS_RDX-(REGS_SIZE+8)
	.cfi_offset %rcx, 32-(REGS_SIZE+8)
	.endif
	.if \nr >= 7
	.cfi_offset %r8, 40-(REGS_SIZE+8)
	.cfi_offset %r9, 48-(REGS_SIZE+8)
	.endif
.endm

/* While the body runs, debuggers see the caller's frame instead. */
.macro args_unknown
	.irp	register, rdi, rsi, rdx, rcx, r8, r9
	.cfi_undefined %\register
	.endr
.endm
