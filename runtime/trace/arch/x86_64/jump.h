/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where glibc keeps the stack pointer in a jmp_buf: sysdeps/x86_64/jmpbuf-offsets.h (JB_RSP). See trace/tracers/longjmp.c.
 */
#ifndef PB_TRACE_ARCH_JUMP_H
#define PB_TRACE_ARCH_JUMP_H

#include <stdint.h>

#define PB_JUMP_SLOT 6
#define PB_JUMP_ROTATED 17 /* bits to the left, after it was xored */

static inline uintptr_t pb_jump_sp(void)
{
	uintptr_t sp;

	__asm__ volatile("movq %%rsp, %0" : "=r"(sp));
	return sp;
}

#endif /* PB_TRACE_ARCH_JUMP_H */
