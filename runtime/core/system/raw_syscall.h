/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* System calls without the C library, for all architectures. trace/ uses it, too. */
#ifndef PB_CORE_RAW_SYSCALL_H
#define PB_CORE_RAW_SYSCALL_H

#if defined(__x86_64__)
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

#elif defined(__aarch64__)
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

#elif defined(__powerpc64__)
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

#elif defined(__riscv)
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
#endif

#endif /* PB_CORE_RAW_SYSCALL_H */
