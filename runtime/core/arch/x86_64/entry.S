/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Trampolines. An armed site calls a trampoline through a stub of its module.
 *
 * The site's `call` has pushed its return address below the function's own:
 *
 *	rsp+8   return address into the caller      parent_ip
 *	rsp     site + 5                            gives entry and slot
 *
 * Live registers: the arguments (rdi rsi rdx rcx r8 r9, xmm/ymm/zmm 0-7), al (number of
 * vector registers used by `...`), r10 (static chain). r11 and the flags are dead. The
 * trampoline returns to the site's `jb`. If CF is clear, the site continues with the body.
 * CF is set if the cell's enter function has called the body already (exit.S).
 *
 * Argument registers that the function does not use are dead. The function's record has the
 * number of arguments. Saving and restoring registers is most of the cost here, so each number
 * of registers to save has its own trampoline.
 *
 * Unwinders need no special support: the site is in the function, before its prologue. The
 * directives below describe the trampoline's frame as usual.
 */
#include "rare.h"
#include "trampoline.h"
#include "direct.h"

	.text

/*
 * The direct way of functions with exits (direct.h), for sites that end \from bytes after the
 * entry. As in modules' own trampolines (own.h), one direct way serves all numbers of
 * registers, because a register that is not an argument may have any value. \back is the
 * trampoline that saves all registers. Modules' own trampolines jump to the rare parts here.
 */
.macro exits from, id, back
	.p2align 6
	.cfi_startproc
	personality
	.cfi_lsda 0x1b, .Llsda_\id
	args_saved 7
.Lexits_\id:
	call_directly \from, 7, \id, \back
	.cfi_endproc
	.pushsection .rodata.pb_x86_64_rare, "a", @progbits
	.long	.Lchanged_\id - pb_x86_64_trampolines
	.long	.Lslow_\id - pb_x86_64_trampolines
	.long	.Lunwind_\id - pb_x86_64_trampolines
	.popsection
.endm

.macro entry_of nr, from, exits
	.balign	PB_TRAMPOLINE_SIZE
	.cfi_startproc
	endbr64
	clc
	retq
	.cfi_endproc
	.balign	PB_TRAMPOLINE_OPEN
	.cfi_startproc
	trampoline \from, \nr, \exits\()_\nr, \exits
	.cfi_endproc
.endm

#define NEAR PATCHBAY_X86_64_SITE_BRANCH_SIZE
#define FAR (PATCHBAY_X86_64_ENDBR64_SIZE + PATCHBAY_X86_64_SITE_BRANCH_SIZE)

/*
 * All trampolines, PB_TRAMPOLINE_SIZE apart, in the order of the ABI: by number of registers,
 * then by position of the site. Stubs jump to the code before a trampoline until the trampoline
 * is opened.
 */
	.section .rodata.pb_x86_64_rare, "a", @progbits
	.globl	pb_x86_64_rare
	.hidden	pb_x86_64_rare
	.type	pb_x86_64_rare, @object
	.p2align 2
pb_x86_64_rare:
	.text
	.globl	pb_x86_64_trampolines
	.hidden	pb_x86_64_trampolines
	.type	pb_x86_64_trampolines, @function
	.p2align 6
pb_x86_64_trampolines:
	.irp	nr, 2, 4, 7
	entry_of \nr, NEAR, near
	entry_of \nr, FAR, far
	.endr
	/* The assembler reports an error here if a trampoline is too large. */
	.org	pb_x86_64_trampolines + 6*PB_TRAMPOLINE_SIZE
	exits	NEAR, near, near_7
	exits	FAR, far, far_7
	.size	pb_x86_64_trampolines, .-pb_x86_64_trampolines
	.section .rodata.pb_x86_64_rare, "a", @progbits
	.size	pb_x86_64_rare, .-pb_x86_64_rare
	.text

/*
 * Call \target with the arguments that are in place, and preserve every vector argument. rcx
 * points to patchbay_regs: its @vectors points to the saved vectors, so a handler can change
 * them.
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

	.section .note.GNU-stack, "", @progbits
