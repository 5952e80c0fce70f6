/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What an armed site calls.
 *
 * The site's `call` has pushed its return address over the function's own:
 *
 *	rsp+8   return address into the caller      parent_ip
 *	rsp     site + 5                            leads to entry and slot
 *
 * Live here: the argument registers (rdi rsi rdx rcx r8 r9, xmm/ymm/zmm 0-7),
 * al (vector registers used by `...`), r10 (static chain). r11 is nobody's and
 * the flags are dead. We return to the site's `jb`, so with CF clear.
 *
 * An unwinder needs nothing special: the site is in the function, before its
 * prologue, and the call frame below is described as of any other code.
 */
#include "isa.h"
#include "quiesce.h"

#include <patchbay/abi.h>

#define REGS_SIZE 80 /* struct patchbay_regs, and the stack stays aligned */
#define REGS_SP 64
#define CELL_ENTER 0
#define CELL_FUNC 8

	.text

/*
 * Store struct patchbay_regs and load the arguments of a handler but the cell:
 * rdi = site + 5, rsi = parent_ip, rcx = regs.
 */
.macro save_regs
	subq	$REGS_SIZE, %rsp
	.cfi_adjust_cfa_offset REGS_SIZE
	movq	%rdi, (%rsp)
	movq	%rsi, 8(%rsp)
	movq	%rdx, 16(%rsp)
	movq	%rcx, 24(%rsp)
	movq	%r8, 32(%rsp)
	movq	%r9, 40(%rsp)
	movq	%rax, 48(%rsp)
	movq	%r10, 56(%rsp)
	movq	REGS_SIZE(%rsp), %rdi
	leaq	REGS_SIZE+8(%rsp), %rcx
	movq	(%rcx), %rsi
	movq	%rcx, REGS_SP(%rsp)
	movq	%rsp, %rcx
.endm

.macro restore_regs
	movq	(%rsp), %rdi
	movq	8(%rsp), %rsi
	movq	16(%rsp), %rdx
	movq	24(%rsp), %rcx
	movq	32(%rsp), %r8
	movq	40(%rsp), %r9
	movq	48(%rsp), %rax
	movq	56(%rsp), %r10
	addq	$REGS_SIZE, %rsp	/* no carry: CF = 0 for the site's jb */
	.cfi_adjust_cfa_offset -REGS_SIZE
.endm

/*
 * The trampoline of sites whose `call` ends \from bytes behind the entry.
 */
.macro trampoline name, from
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align 6
\name:
	.cfi_startproc
	endbr64
	save_regs
	movq	pb_thread@gottpoff(%rip), %r11
	cmpq	$PB_THREAD_OUTSIDE, %fs:(%r11)
	jne	1f
	/* The mark comes before the load of the slot; see pb_quiesce(). */
	movq	pb_quiesce_phase(%rip), %rax
	movq	%rax, %fs:(%r11)
	movq	PATCHBAY_SLOT_OFFSET-\from(%rdi), %rdx
	subq	$\from, %rdi
	callq	*CELL_ENTER(%rdx)
	movq	pb_thread@gottpoff(%rip), %r11
	movq	$PB_THREAD_OUTSIDE, %fs:(%r11)
0:
	.cfi_remember_state
	restore_regs
	retq
1:
	.cfi_restore_state
	leaq	PATCHBAY_SLOT_OFFSET-\from(%rdi), %rdx
	subq	$\from, %rdi
	callq	enter_slowly
	jmp	0b
	.cfi_endproc
	.size	\name, .-\name
.endm

trampoline pb_x86_64_entry_0, PATCHBAY_X86_64_SITE_BRANCH_SIZE
trampoline pb_x86_64_entry_4, (PATCHBAY_X86_64_ENDBR64_SIZE+PATCHBAY_X86_64_SITE_BRANCH_SIZE)

/* Keep register \n of \kind (xmm, ymm, zmm) 0 to 7 at rsp, \size bytes each. */
.macro save_vectors mov, kind, size
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	\mov	%\kind\n, \n*\size(%rsp)
	.endr
.endm

.macro restore_vectors mov, kind, size
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	\mov	\n*\size(%rsp), %\kind\n
	.endr
.endm

/*
 * Call \target (r11 is the address of \function) with the arguments that are
 * in place, and leave every vector argument as it was, at the width that this
 * processor has. vzeroupper spares handlers with SSE instructions the cost of
 * dirty upper halves.
 */
.macro call_saving_vectors name, target, function
	.type	\name, @function
	.p2align 4
\name:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	subq	$8*64, %rsp
	andq	$-64, %rsp
	.ifnb \function
	leaq	\function(%rip), %r11
	.endif
	cmpb	$PB_ISA_AVX, pb_x86_64_isa(%rip)
	ja	2f
	je	1f
	save_vectors movaps, xmm, 16
	callq	*\target
	restore_vectors movaps, xmm, 16
	jmp	3f
1:	save_vectors vmovaps, ymm, 32
	vzeroupper
	callq	*\target
	restore_vectors vmovaps, ymm, 32
	jmp	3f
2:	save_vectors vmovaps, zmm, 64
	vzeroupper
	callq	*\target
	restore_vectors vmovaps, zmm, 64
3:	leave
	.cfi_def_cfa %rsp, 8
	retq
	.cfi_endproc
	.size	\name, .-\name
.endm

	.globl	pb_arch_enter_any
	.hidden	pb_arch_enter_any
call_saving_vectors pb_arch_enter_any, CELL_FUNC(%rdx)

	.globl	pb_arch_enter_set
	.hidden	pb_arch_enter_set
call_saving_vectors pb_arch_enter_set, %r11, pb_set_call

call_saving_vectors enter_slowly, %r11, pb_enter_slowly

	.section .note.GNU-stack, "", @progbits
