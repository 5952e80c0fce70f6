/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A module's own trampolines, which the pass emits after the module's stubs. They do the same
 * as the library's trampolines (entry.S), but find the library's code and data through a table
 * in the module. llvm-pass/X86_64Stubs.S, which includes this file after .cfi_startproc, is
 * assembled when the pass is built.
 *
 * The library uses these trampolines if they were made for its own layout: abi.h has a number
 * for the layout. test/unit/own-trampolines.test fails if a change needs a new number.
 */
#include "entry.h"

#include <patchbay/abi.h>

#define TABLE .Lpatchbay_links_table
#define NEAR PATCHBAY_X86_64_SITE_BRANCH_SIZE
#define FAR (PATCHBAY_X86_64_ENDBR64_SIZE + PATCHBAY_X86_64_SITE_BRANCH_SIZE)

/* All objects share this name. If a linker drops the copy of an object, the object's .eh_frame
 * entries lead to the copy that the linker keeps. */
#define PERSONALITY __patchbay_personality_2

	.weak	PERSONALITY
	.hidden	PERSONALITY
	.set	PERSONALITY, TABLE+PATCHBAY_X86_64_TABLE_PERSONALITY

.macro words_to register
	movq	TABLE+PATCHBAY_X86_64_TABLE_THREAD(%rip), \register
.endm

.macro thread_to register
	words_to \register
	movq	%fs:(\register), \register
.endm

.macro call_slowly
	callq	*TABLE+PATCHBAY_X86_64_TABLE_SLOWLY(%rip)
.endm

/* The tables refer to the function through a pointer, as in C++: it is in another module. */
.macro personality
	.cfi_personality 0x9b, PERSONALITY
.endm

/* As in lsda.h, but in the COMDAT group of the module's trampolines. */
.macro lsda body, pad, from
	.pushsection .gcc_except_table.__patchbay_module, "aG", @progbits, \
		__patchbay_module, comdat
	.p2align 2
.Llsda_\body:
	.long	.Lbody_\body - .
	.long	.Lunwind_\pad - .
	.long	\from
	.popsection
.endm

#define RARE(from) \
	TABLE + PATCHBAY_X86_64_TABLE_RARE + \
	(from - NEAR) / PATCHBAY_X86_64_ENDBR64_SIZE * 24

/* Jump into the library's trampolines, which use the same frame. notrack: no landing pad. */
.macro rare_exits from, id
.Lchanged_\id:
	notrack jmpq *RARE(\from)(%rip)
.Lslow_\id:
	notrack jmpq *RARE(\from)+8(%rip)
.endm

.macro unwound from, id
	notrack jmpq *RARE(\from)+16(%rip)
.endm

#include "trampoline.h"
#include "direct.h"

.macro own_trampoline n, nr, from, exits
	.org	.Lpatchbay_stubs + PATCHBAY_X86_64_OWN_OFFSET + \
		\n*PATCHBAY_X86_64_OWN_SIZE, 0xcc
	endbr64
	clc
	retq
	.org	.Lpatchbay_stubs + PATCHBAY_X86_64_OWN_OFFSET + \
		\n*PATCHBAY_X86_64_OWN_SIZE + PATCHBAY_X86_64_OWN_OPEN, 0xcc
	trampoline \from, \nr, patchbay_\n, \exits
.endm

	own_trampoline 0, 2, NEAR, patchbay_near
	own_trampoline 1, 2, FAR, patchbay_far
	own_trampoline 2, 4, NEAR, patchbay_near
	own_trampoline 3, 4, FAR, patchbay_far
	own_trampoline 4, 7, NEAR, patchbay_near
	own_trampoline 5, 7, FAR, patchbay_far
	.cfi_endproc

/*
 * One direct way serves all numbers of registers, which saves space. A register that is not an
 * argument may have any value, so the direct way loads all. \back is the trampoline that saves
 * all registers: it can replace any other trampoline.
 */
.macro own_exits from, id, back
	/* Keep each loop over a set within a line of 64 bytes, which saves 1 or 2 cycles. */
	.p2align 6, 0xcc
	.cfi_startproc
	personality
	.cfi_lsda 0x1b, .Llsda_\id
	args_saved 7
.Lexits_\id:
	call_directly \from, 7, \id, \back
.endm

	own_exits NEAR, patchbay_near, patchbay_4
	.cfi_endproc
	own_exits FAR, patchbay_far, patchbay_5
