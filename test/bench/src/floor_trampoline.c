/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "floor_trampoline.h"

static void do_nothing(void)
{
}

void (*floor_handler)(void) = do_nothing;
static void (**const cell)(void) __attribute__((used)) = &floor_handler;

__asm__("	.text\n"
	"	.globl floor_trampoline\n"
	"	.type floor_trampoline, @function\n"
	"	.p2align 6\n"
	"floor_trampoline:\n"
	"	pushq %rdi\n"
	"	movq cell(%rip), %rdx\n"
	"	call *(%rdx)\n"
	"	popq %rdi\n"
	"	clc\n"
	"	ret\n"
	"	.size floor_trampoline, .-floor_trampoline\n");
