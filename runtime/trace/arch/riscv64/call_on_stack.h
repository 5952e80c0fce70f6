/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The stack switch of functions/own_stack.c. */
#ifndef PB_TRACE_ARCH_CALL_ON_STACK_H
#define PB_TRACE_ARCH_CALL_ON_STACK_H

/* Call @call with @arg on the stack that ends at @top, which is aligned to 64 bytes. */
static __attribute__((naked, noinline)) void
pb_call_on_stack(void *top, void (*call)(void *arg), void *arg)
{
	__asm__("addi sp, sp, -16\n\t"
		".cfi_def_cfa_offset 16\n\t"
		"sd ra, 8(sp)\n\t"
		"sd s0, 0(sp)\n\t"
		".cfi_offset ra, -8\n\t"
		".cfi_offset s0, -16\n\t"
		"mv s0, sp\n\t"
		".cfi_def_cfa_register s0\n\t"
		"mv sp, a0\n\t"
		"mv a0, a2\n\t"
		"jalr a1\n\t"
		"mv sp, s0\n\t"
		".cfi_def_cfa_register sp\n\t"
		"ld ra, 8(sp)\n\t"
		"ld s0, 0(sp)\n\t"
		"addi sp, sp, 16\n\t"
		".cfi_def_cfa_offset 0\n\t"
		"ret");
}

#endif /* PB_TRACE_ARCH_CALL_ON_STACK_H */
