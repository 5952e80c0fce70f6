/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* System calls without the C library, for all architectures. trace/ uses it, too. */
#pragma once

#if defined(__x86_64__)
/* Returns the result, or -errno. (System V ABI, AMD64 supplement, A.2.1.) */
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

#elif defined(__aarch64__) || defined(__riscv)
#ifdef __riscv
#define PB_REGISTER(arm, riscv) __asm__(riscv)
#define PB_SYSTEM_CALL "ecall"
#else
#define PB_REGISTER(arm, riscv) __asm__(arm)
#define PB_SYSTEM_CALL "svc #0"
#endif
/* Returns the result, or -errno. (syscall(2), "Architecture calling conventions".) */
static inline long pb_raw_syscall(long number, const long arg[6])
{
	register long nr PB_REGISTER("x8", "a7") = number;
	register long a0 PB_REGISTER("x0", "a0") = arg[0];
	register long a1 PB_REGISTER("x1", "a1") = arg[1];
	register long a2 PB_REGISTER("x2", "a2") = arg[2];
	register long a3 PB_REGISTER("x3", "a3") = arg[3];
	register long a4 PB_REGISTER("x4", "a4") = arg[4];
	register long a5 PB_REGISTER("x5", "a5") = arg[5];

	__asm__ volatile(PB_SYSTEM_CALL
			 : "+r"(a0)
			 : "r"(nr), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5)
			 : "memory");
	return a0;
}

#elif defined(__powerpc64__)
/*
 * Returns the result, or -errno. (Linux, Documentation/arch/powerpc/syscall64-abi.rst: `sc`
 * returns errors as positive numbers, and sets cr0.SO.)
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
#endif
