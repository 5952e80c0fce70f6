/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The stack switch of functions/own_stack.c. */
#ifndef PB_TRACE_ARCH_CALL_ON_STACK_H
#define PB_TRACE_ARCH_CALL_ON_STACK_H

/* Call @call with @arg on the stack that ends at @top, which is aligned to 64 bytes. */
static __attribute__((naked, noinline)) void
pb_call_on_stack(void *top, void (*call)(void *arg), void *arg)
{
	__asm__("stp x29, x30, [sp, #-16]!\n\t"
		".cfi_def_cfa_offset 16\n\t"
		".cfi_offset x29, -16\n\t"
		".cfi_offset x30, -8\n\t"
		"mov x29, sp\n\t"
		".cfi_def_cfa_register x29\n\t"
		"mov sp, x0\n\t"
		"mov x0, x2\n\t"
		"blr x1\n\t"
		"mov sp, x29\n\t"
		".cfi_def_cfa_register sp\n\t"
		"ldp x29, x30, [sp], #16\n\t"
		".cfi_def_cfa_offset 0\n\t"
		"ret");
}

#endif /* PB_TRACE_ARCH_CALL_ON_STACK_H */
