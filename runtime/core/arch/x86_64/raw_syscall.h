/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For trace/system/sys.h and trace/process/sandbox.c. */
#ifndef PB_ARCH_RAW_SYSCALL_H
#define PB_ARCH_RAW_SYSCALL_H

/* (System V ABI, AMD64 supplement, A.2.1.) The result, or -errno. */
static inline long pb_raw_syscall(long number, const long arg[6])
{
	register long r10 __asm__("r10") = arg[3];
	register long r8 __asm__("r8") = arg[4];
	register long r9 __asm__("r9") = arg[5];
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(arg[0]), "S"(arg[1]), "d"(arg[2]),
			   "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

#endif /* PB_ARCH_RAW_SYSCALL_H */
