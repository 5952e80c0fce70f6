/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The targets of a module's sites: stubs, then the module's own trampolines. They are
 * assembled when the pass is built (embed-code.py); the pass emits bytes.
 *
 * The `call` of an armed site enters a stub, which only jumps. So every instruction has the
 * frame of a function entry. A site's jb requires a clear CF, so the code after the stubs
 * clears it. No indirect branch reaches a stub, so it has no landing pad; the targets of
 * its jump have one. jrcxz is never reached: it keeps BOLT from moving the function.
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
