/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Macros to save and restore results around a function's body, for exit.S and rare.h. */
#include "arch/lsda.h"
#include "frame.h"
#include "vectors.h"

#include <cet.h> /* says that the file works with IBT and shadow stacks */

/* How the library's trampolines find its data and functions; own.h has a module's macros. */

/* The offset of struct pb_thread from %fs:0. */
.macro words_to register
	movq	pb_thread@gottpoff(%rip), \register
.endm

/*
 * The offset of the thread's reader from %fs:0. A thread without a reader has 0: the word
 * at %fs:0 is the thread pointer (psABI, 3.4.2), which never equals PB_THREAD_OUTSIDE.
 */
.macro thread_to register
	words_to \register
	movq	%fs:(\register), \register
.endm

.macro call_slowly
	callq	pb_x86_64_enter_slowly
.endm

#define X87_SIZE 112 /* the size of fnsave's data, rounded up */

/* Drop \nr entries of the shadow stack, if there is one. Clobbers rcx. */
.macro drop_shadow nr
	xorl	%ecx, %ecx
	rdsspq	%rcx
	testq	%rcx, %rcx
	jz	1f
	movl	$\nr, %ecx
	incsspq	%rcx
1:
.endm

/* Move vector registers 0 and 1, at the width that the processor has. */
.macro move_results from0, to0, from1, to1, kind
	.ifc \kind, xmm
	movups	\from0, \to0
	movups	\from1, \to1
	.else
	vmovups	\from0, \to0
	vmovups	\from1, \to1
	.endif
.endm

.macro save_results
	cmpb	$PB_ISA_AVX, pb_x86_64_isa(%rip)
	ja	2f
	je	1f
	move_results %xmm0, CALL_VECTOR0(%rbp), %xmm1, CALL_VECTOR1(%rbp), xmm
	jmp	3f
1:	move_results %ymm0, CALL_VECTOR0(%rbp), %ymm1, CALL_VECTOR1(%rbp), ymm
	vzeroupper
	jmp	3f
2:	move_results %zmm0, CALL_VECTOR0(%rbp), %zmm1, CALL_VECTOR1(%rbp), zmm
	vzeroupper
3:
.endm

/* Zero upper parts are restored by vzeroupper, as in restore_wide_vectors (vectors.h). */
.macro restore_wide_results or, kind
	vmovups	CALL_VECTOR0(%rbp), %\kind\()0
	\or	CALL_VECTOR1(%rbp), %\kind\()0, %\kind\()0
	test_upper \kind
	jz	9f
	move_results CALL_VECTOR0(%rbp), %\kind\()0, CALL_VECTOR1(%rbp), %\kind\()1, \kind
	jmp	3f
.endm

.macro restore_results
	cmpb	$PB_ISA_AVX, pb_x86_64_isa(%rip)
	ja	2f
	jb	8f
	restore_wide_results vorps, ymm
2:	restore_wide_results vporq, zmm
9:	vzeroupper
8:	move_results CALL_VECTOR0(%rbp), %xmm0, CALL_VECTOR1(%rbp), %xmm1, xmm
3:
.endm

/* Save a result in x87 registers at the end of the stack, and empty the registers. */
.macro save_x87
	movq	CALL_IP(%rbp), %rcx
	movq	PATCHBAY_SLOT_OFFSET(%rcx), %rcx
	movq	CELL_RECORD(%rcx), %rcx
	movzbl	RECORD_FLAGS(%rcx), %ecx
	notl	%ecx
	testl	$PATCHBAY_RECORD_RETURN_OTHER, %ecx
	jnz	1f
	subq	$X87_SIZE, %rsp
	fnsave	(%rsp)
	orl	$CALL_X87, CALL_SINCE(%rbp)
1:
.endm

.macro restore_x87
	testl	$CALL_X87, CALL_SINCE(%rbp)
	jz	1f
	frstor	(%rsp)
1:
.endm
