/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The index of the stack pointer in glibc's jmp_buf (sysdeps/aarch64/jmpbuf-offsets.h,
 * JB_SP), for trace/tracers/longjmp.c.
 */
#ifndef PB_TRACE_ARCH_JUMP_H
#define PB_TRACE_ARCH_JUMP_H

#include <stdint.h>

#define PB_JUMP_SLOT 13
#define PB_JUMP_ROTATED 0 /* glibc XORs the pointer, then rotates it left by this many bits */

static inline uintptr_t pb_jump_sp(void)
{
	uintptr_t sp;

	__asm__ volatile("mov %0, sp" : "=r"(sp));
	return sp;
}

#endif /* PB_TRACE_ARCH_JUMP_H */
