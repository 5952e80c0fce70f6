/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The targets of a module's sites: stubs, then the module's own trampolines. This file is
 * assembled when the pass is built (embed-code.py), and the pass emits the bytes.
 *
 * The `call` of an armed site enters a stub, which only jumps, so that every instruction of
 * the stubs has the frame of a function entry. Stubs have no landing pads, because sites call
 * them directly; the targets of their indirect jumps have landing pads. The code after the
 * stubs, which returns, clears CF, because a site's jb must not branch. The jrcxz is never
 * executed: it keeps BOLT from moving the function.
 */
	/* Offsets in the module's links, which are in another section. */
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
