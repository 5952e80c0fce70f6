/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Keeping what may be arguments in vector registers, for entry.S and exit.S. */

/* From one register to the next, whatever their width. */
#define VECTOR_SIZE 64
#define VECTORS_SIZE (8 * VECTOR_SIZE)

.macro save_vectors mov, kind
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	\mov	%\kind\n, \n*VECTOR_SIZE(%rsp)
	.endr
.endm

.macro restore_vectors mov, kind
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	\mov	\n*VECTOR_SIZE(%rsp), %\kind\n
	.endr
.endm

/*
 * Do \call, which is one instruction, and leave every vector argument as it was,
 * or as is changed at rsp meanwhile, at the width that this processor has. rsp
 * is a multiple of VECTOR_SIZE; rbp is not clobbered. vzeroupper spares handlers
 * with SSE instructions the cost of dirty upper halves.
 */
.macro saving_vectors call:vararg
	cmpb	$PB_ISA_AVX, pb_x86_64_isa(%rip)
	ja	2f
	je	1f
	save_vectors movaps, xmm
	\call
	restore_vectors movaps, xmm
	jmp	3f
1:	save_vectors vmovaps, ymm
	vzeroupper
	\call
	restore_vectors vmovaps, ymm
	jmp	3f
2:	save_vectors vmovaps, zmm
	vzeroupper
	\call
	restore_vectors vmovaps, zmm
3:
.endm
