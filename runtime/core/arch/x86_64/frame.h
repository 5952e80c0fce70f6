/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The frames of trampolines and of what calls a function's body, and how a thread
 * is marked, for assembler. The includer (ours.h or own.h) defines the macros words_to
 * and thread_to: where the thread's words and its reader are.
 */
#ifndef PB_X86_64_FRAME_H
#define PB_X86_64_FRAME_H

#include "entry.h"
#include "quiesce/quiesce.h"

#include <patchbay/abi.h>

/* struct patchbay_call up to rbp, and a word; rsp is aligned below it. */
#define FRAME_SIZE (-CALL + 8)

/* Behind the site's call, which is where it returns to. */
#define JB_SIZE (PATCHBAY_X86_64_SITE_SIZE-PATCHBAY_X86_64_SITE_BRANCH_SIZE)
#define SITE_RETURN (CALL_REGS + REGS_SIZE)
#define STACK_ARGS (SITE_RETURN + 16)

/* Where arguments on the stack begin, if one is that wide: the most there is. */
#define ARGS_ALIGN PATCHBAY_RECORD_STACK_ALIGN_MAX

/*
 * The thread is in handlers, whose trampoline's frame is known by rbp. \thread is
 * where its reader is, from %fs:0. Clobbers \temp.
 */
.macro mark_inside thread, temp
	leaq	CALL_REGS(%rbp), \temp
	movq	\temp, %fs:PB_THREAD_FRAME(\thread)
	movq	%fs:PB_THREAD_NEXT_PHASE(\thread), \temp
	movq	\temp, %fs:(\thread)
.endm

/* It is not any more: in this order, see struct pb_reader. */
.macro mark_outside thread
	movq	$PB_THREAD_OUTSIDE, %fs:(\thread)
	movq	$0, %fs:PB_THREAD_FRAME(\thread)
.endm

#endif /* PB_X86_64_FRAME_H */
