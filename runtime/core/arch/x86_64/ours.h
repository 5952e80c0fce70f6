/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the library's own trampolines find what they need of it. */

/* How far pb_thread is from %fs:0. */
.macro thread_to register
	movq	pb_thread@gottpoff(%rip), \register
.endm

.macro phase_to register
	movq	pb_quiesce_phase(%rip), \register
.endm

.macro call_slowly
	callq	pb_x86_64_enter_slowly
.endm
