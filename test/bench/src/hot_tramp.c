/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A tramp as in the kernel, where the input contains the jump. */
__asm__(".pushsection .static_call.text, \"ax\"\n"
	"	.balign 4\n"
	"	.globl __SCT__hot\n"
	"	.hidden __SCT__hot\n"
	"	.type __SCT__hot, @function\n"
	"__SCT__hot:\n"
	"	jmp hot_callee\n"
	"	.byte 0x0f, 0xb9, 0xcc\n" /* ud1: never executed */
	"	.size __SCT__hot, .-__SCT__hot\n"
	"	.popsection\n");
