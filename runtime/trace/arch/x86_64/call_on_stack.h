/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The stack switch of functions/own_stack.c. */
#ifndef PB_TRACE_ARCH_CALL_ON_STACK_H
#define PB_TRACE_ARCH_CALL_ON_STACK_H

/* Call @call with @arg on the stack that ends at @top, which is aligned to 64 bytes. */
static __attribute__((naked, noinline)) void
pb_call_on_stack(void *top, void (*call)(void *arg), void *arg)
{
	__asm__("pushq %rbp\n\t"
		".cfi_def_cfa_offset 16\n\t"
		".cfi_offset %rbp, -16\n\t"
		"movq %rsp, %rbp\n\t"
		".cfi_def_cfa_register %rbp\n\t"
		"movq %rdi, %rsp\n\t"
		"movq %rdx, %rdi\n\t"
		"callq *%rsi\n\t"
		"movq %rbp, %rsp\n\t"
		"popq %rbp\n\t"
		".cfi_def_cfa %rsp, 8\n\t"
		"retq");
}

#endif /* PB_TRACE_ARCH_CALL_ON_STACK_H */
