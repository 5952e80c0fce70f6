/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Saving and restoring vector arguments, for entry.S and exit.S. */

/* The distance from one saved register to the next, for each width. */
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
 * \kind\()0 is the OR of the saved registers. Set ZF if all its bits above the lowest 16
 * bytes are zero. Clobbers vector registers 0 to 2.
 */
.macro test_upper kind
	.ifc \kind, zmm
	vextracti64x4 $1, %zmm0, %ymm1
	vextractf128 $1, %ymm1, %xmm2
	vorps	%xmm2, %xmm1, %xmm1
	vextractf128 $1, %ymm0, %xmm0
	vorps	%xmm1, %xmm0, %xmm0
	.else
	vextractf128 $1, %ymm0, %xmm0
	.endif
	vptest	%xmm0, %xmm0
.endm

/*
 * Load the vectors that save_vectors stored at rsp, at the width of \kind. \or combines them
 * to test for zero. If all upper halves are zero, vzeroupper clears them instead of a load. A
 * load would make them *dirty*, even with zeros: until the next vzeroupper, each SSE
 * instruction then waits for the previous write to its destination (Intel's Optimization
 * Reference Manual, "Mixing AVX Code with SSE Code"). Programs without AVX code never execute
 * vzeroupper, and ran 10 % longer after a single such load.
 */
.macro restore_wide_vectors or, kind
	vmovaps	(%rsp), %\kind\()0
	.irp	n, 1, 2, 3, 4, 5, 6, 7
	\or	\n*VECTOR_SIZE(%rsp), %\kind\()0, %\kind\()0
	.endr
	test_upper \kind
	jz	9f
	restore_vectors vmovaps, \kind
	jmp	3f
.endm

/*
 * Save all vector arguments at rsp, execute \call, which is one instruction, and load them
 * again, at the width of this processor. The callee may change the saved values. rsp is a
 * multiple of VECTOR_SIZE; rbp is not clobbered. The vzeroupper before \call spares handlers
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
	restore_wide_vectors vorps, ymm
2:	save_vectors vmovaps, zmm
	vzeroupper
	\call
	restore_wide_vectors vporq, zmm
9:	vzeroupper
	restore_vectors movaps, xmm
3:
.endm
