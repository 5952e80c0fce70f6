/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For trace/system/sys.h and trace/process/sandbox.c. */
#ifndef PB_ARCH_RAW_SYSCALL_H
#define PB_ARCH_RAW_SYSCALL_H

/*
 * (Linux, Documentation/arch/powerpc/syscall64-abi.rst: `sc`, which returns errors
 * as positive numbers and says so in cr0.SO.) The result, or -errno.
 */
static inline long pb_raw_syscall(long number, const long arg[6])
{
	register long r0 __asm__("r0") = number;
	register long r3 __asm__("r3") = arg[0];
	register long r4 __asm__("r4") = arg[1];
	register long r5 __asm__("r5") = arg[2];
	register long r6 __asm__("r6") = arg[3];
	register long r7 __asm__("r7") = arg[4];
	register long r8 __asm__("r8") = arg[5];

	__asm__ volatile("sc\n\t"
			 "bns+ 1f\n\t"
			 "neg 3, 3\n"
			 "1:"
			 : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5), "+r"(r6),
			   "+r"(r7), "+r"(r8)
			 :
			 : "r9", "r10", "r11", "r12", "cr0", "ctr", "memory");
	return r3;
}

#endif /* PB_ARCH_RAW_SYSCALL_H */
