/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a module's sites lead to: stubs and, behind them, trampolines of the module's own.
 * It is assembled when the pass is built (embed-code.py); the pass emits bytes.
 *
 * Each stub is entered by the `call` of an armed site and left at once, so the frame is
 * that of an entry throughout. A site's jb asks that CF is clear, so what is behind the
 * stubs clears it. jrcxz is never reached: BOLT leaves a function with it as it is.
 */
	/* Offsets in the module's links, which are elsewhere. */
	.data
	.skip	16			/* struct patchbay_links */
.Lpatchbay_links_trampolines:
	.skip	48
.Lpatchbay_links_table:
	.skip	80

	.text
.Lpatchbay_stubs:
	.cfi_startproc
	.irp n, 0, 1, 2, 3, 4, 5
	endbr64
	jmpq	*.Lpatchbay_links_trampolines+8*\n(%rip)
	.p2align 4, 0xcc
	.endr
	endbr64
	clc
	retq
	.byte	0xe3, 0xfe
	.globl	patchbay_stubs_end
patchbay_stubs_end:

#include "arch/x86_64/own.h"
	.cfi_endproc
