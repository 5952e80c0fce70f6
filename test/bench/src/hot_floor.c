/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * hot_callee() with the least that calling a handler from its entry can cost: it
 * calls a trampoline, that calls what it finds in memory, and one register is
 * kept. Nothing can be disarmed, nobody knows who is inside.
 */
__asm__("	.text\n"
	"	.globl hot_callee\n"
	"	.type hot_callee, @function\n"
	"	.p2align 6\n"
	"hot_callee:\n"
	"	call .Ltrampoline\n"
	"	leal 1(%rdi), %eax\n"
	"	ret\n"
	"	.size hot_callee, .-hot_callee\n"
	"	.p2align 6\n"
	".Ltrampoline:\n"
	"	pushq %rdi\n"
	"	movq .Lcell(%rip), %rdx\n"
	"	call *(%rdx)\n"
	"	popq %rdi\n"
	"	ret\n"
	"	.p2align 6\n"
	".Lhandler:\n"
	"	ret\n"
	"	.section .data.rel.local, \"aw\"\n"
	"	.p2align 3\n"
	".Lcell:\n"
	"	.quad .Lcell+8\n"
	"	.quad .Lhandler\n"
	"	.text\n");
