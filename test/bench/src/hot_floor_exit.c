/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * hot_callee() with the minimum cost of calling a handler at its exit, with the site's
 * `jb`. A trampoline calls the body and then a function pointer in memory, saves the
 * result, and returns with CF set. The site cannot be disarmed, does not record which
 * threads are inside, and does not support exceptions.
 */
__asm__("	.text\n"
	"	.p2align 4\n"
	".Lpad:\n"
	"	ret\n"
	"	.globl hot_callee\n"
	"	.type hot_callee, @function\n"
	"	.p2align 6\n"
	"hot_callee:\n"
	"	call .Ltrampoline\n"
	"	jb .Lpad\n"
	".Lbody:\n"
	"	leal 1(%rdi), %eax\n"
	"	ret\n"
	"	.size hot_callee, .-hot_callee\n"
	"	.p2align 6\n"
	".Ltrampoline:\n"
	"	subq $8, %rsp\n"
	"	call .Lbody\n"
	"	movq %rax, (%rsp)\n"
	"	movq .Lcell(%rip), %rdx\n"
	"	call *(%rdx)\n"
	"	movq (%rsp), %rax\n"
	"	addq $8, %rsp\n"
	"	stc\n"
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
