/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How the library's own trampolines find its data and functions. */

/* The offset of struct pb_thread from %fs:0. */
.macro words_to register
	movq	pb_thread@gottpoff(%rip), \register
.endm

/*
 * The offset of the thread's reader from %fs:0. For a thread without a reader it is 0. The
 * word there is the thread pointer (psABI, 3.4.2), which never equals PB_THREAD_OUTSIDE.
 */
.macro thread_to register
	words_to \register
	movq	%fs:(\register), \register
.endm

.macro call_slowly
	callq	pb_x86_64_enter_slowly
.endm
