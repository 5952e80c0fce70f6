/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The stack switch of functions/own_stack.c. */
#ifndef PB_TRACE_ARCH_CALL_ON_STACK_H
#define PB_TRACE_ARCH_CALL_ON_STACK_H

/*
 * Call @call with @arg on the stack that ends at @top, which is aligned to 64 bytes.
 * Reserves 32 bytes below @top as the caller's frame header, where the callee saves
 * registers.
 */
static __attribute__((naked, noinline)) void
pb_call_on_stack(void *top, void (*call)(void *arg), void *arg)
{
	__asm__("mflr 0\n\t"
		"std 0, 16(1)\n\t"
		"std 31, -8(1)\n\t"
		"std 2, 24(1)\n\t"
		".cfi_offset lr, 16\n\t"
		".cfi_offset 31, -8\n\t"
		"stdu 1, -48(1)\n\t"
		".cfi_def_cfa_offset 48\n\t"
		"mr 31, 1\n\t"
		".cfi_def_cfa_register 31\n\t"
		"std 1, -32(3)\n\t"
		"addi 1, 3, -32\n\t"
		"mr 3, 5\n\t"
		"mr 12, 4\n\t"
		"mtctr 12\n\t"
		"bctrl\n\t"
		"addi 1, 31, 48\n\t"
		".cfi_def_cfa 1, 0\n\t"
		"ld 2, 24(1)\n\t"
		"ld 31, -8(1)\n\t"
		"ld 0, 16(1)\n\t"
		"mtlr 0\n\t"
		"blr");
}

#endif /* PB_TRACE_ARCH_CALL_ON_STACK_H */
