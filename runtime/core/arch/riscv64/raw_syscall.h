/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For trace/system/sys.h and trace/process/sandbox.c. */
#ifndef PB_ARCH_RAW_SYSCALL_H
#define PB_ARCH_RAW_SYSCALL_H

/* (syscall(2), "Architecture calling conventions".) The result, or -errno. */
static inline long pb_raw_syscall(long number, const long arg[6])
{
	register long a7 __asm__("a7") = number;
	register long a0 __asm__("a0") = arg[0];
	register long a1 __asm__("a1") = arg[1];
	register long a2 __asm__("a2") = arg[2];
	register long a3 __asm__("a3") = arg[3];
	register long a4 __asm__("a4") = arg[4];
	register long a5 __asm__("a5") = arg[5];

	__asm__ volatile("ecall"
			 : "+r"(a0)
			 : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5)
			 : "memory");
	return a0;
}

#endif /* PB_ARCH_RAW_SYSCALL_H */
