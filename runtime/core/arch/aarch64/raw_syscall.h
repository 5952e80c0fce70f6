/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For trace/system/sys.h and trace/process/sandbox.c. */
#ifndef PB_ARCH_RAW_SYSCALL_H
#define PB_ARCH_RAW_SYSCALL_H

/* (syscall(2), "Architecture calling conventions".) The result, or -errno. */
static inline long pb_raw_syscall(long number, const long arg[6])
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = arg[0];
	register long x1 __asm__("x1") = arg[1];
	register long x2 __asm__("x2") = arg[2];
	register long x3 __asm__("x3") = arg[3];
	register long x4 __asm__("x4") = arg[4];
	register long x5 __asm__("x5") = arg[5];

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

#endif /* PB_ARCH_RAW_SYSCALL_H */
