/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Registers for struct pbd_slow (trace/format/format.h). */
#ifndef PB_TRACE_ARCH_HERE_H
#define PB_TRACE_ARCH_HERE_H

#include "format/format.h"

#include <patchbay/patchbay.h>

/*
 * Store the registers that unwind tables refer to, by DWARF number, and an address in this
 * code. The function is always inlined, so the unwind table for that address describes
 * these registers.
 */
static inline __attribute__((always_inline)) void
pb_here(uint64_t here[PBD_HERE])
{
	__asm__ volatile("movq %%rbx, 24(%0)\n\t"
			 "movq %%rbp, 48(%0)\n\t"
			 "movq %%rsp, 56(%0)\n\t"
			 "movq %%r12, 96(%0)\n\t"
			 "movq %%r13, 104(%0)\n\t"
			 "movq %%r14, 112(%0)\n\t"
			 "movq %%r15, 120(%0)\n\t"
			 "leaq 0f(%%rip), %%rax\n"
			 "0:\n\t"
			 "movq %%rax, 128(%0)"
			 :
			 : "r"(here)
			 : "rax", "memory");
}

/* Returns the stack pointer of the function's caller after the return. */
static inline uintptr_t pb_caller_sp(const struct patchbay_regs *regs)
{
	return patchbay_regs_sp(regs) + sizeof(uint64_t);
}

#endif /* PB_TRACE_ARCH_HERE_H */
