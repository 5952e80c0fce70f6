/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the library's own trampolines find what they need of it. */

/* How far struct pb_thread is from %fs:0. */
.macro words_to register
	movq	pb_thread@gottpoff(%rip), \register
.endm

/*
 * How far the thread's reader is from %fs:0. Of a thread without one that is 0, where the
 * thread pointer itself is (psABI, 3.4.2): not PB_THREAD_OUTSIDE.
 */
.macro thread_to register
	words_to \register
	movq	%fs:(\register), \register
.endm

.macro call_slowly
	callq	pb_x86_64_enter_slowly
.endm
