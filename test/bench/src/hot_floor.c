/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * hot_callee() with the minimum cost of calling a handler from its entry
 * (floor_trampoline.h). The entry cannot be disarmed, and does not record which threads are
 * inside. With STUB the site calls a stub, as in Patchbay's modules.
 */
__asm__("	.text\n"
	"	.globl hot_callee\n"
	"	.type hot_callee, @function\n"
	"	.p2align 6\n"
	"hot_callee:\n"
#ifdef STUB
	"	call .Lstub\n"
#else
	"	call floor_trampoline\n"
#endif
	"	leal 1(%rdi), %eax\n"
	"	ret\n"
	"	.size hot_callee, .-hot_callee\n"
#ifdef STUB
	"	.p2align 4\n"
	".Lstub:\n"
	"	jmp *.Ltrampoline(%rip)\n"
	"	.section .data.rel.ro, \"aw\"\n"
	"	.p2align 3\n"
	".Ltrampoline:\n"
	"	.quad floor_trampoline\n"
	"	.text\n"
#endif
);
