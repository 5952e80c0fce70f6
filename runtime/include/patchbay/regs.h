/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The registers that a handler sees, for each architecture. Included by
 * patchbay.h; args.h has arguments by number.
 *
 * Only handlers may call these functions, with the handler's own parameters. The functions
 * are async-signal-safe and cannot fail.
 */
#ifndef PATCHBAY_REGS_H
#define PATCHBAY_REGS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Functions that handlers call, without sites. clang does not inline these functions
 * into handlers that are marked no_profile_instrument_function, nor into any handler at
 * -O0: with a site, a tracer of all functions would be called by its own handler.
 */
#ifdef __clang__
#define PATCHBAY_INLINE static inline __attribute__((xray_never_instrument))
#else
#define PATCHBAY_INLINE static inline
#endif

/*
 * struct patchbay_regs - the argument registers at the entry of the function
 *
 * The function receives what a handler writes here. Only registers that may
 * hold a value are filled in: those of the record's gp_args, in order, and the
 * static chain; the number of vector registers (x86-64) or the address of the
 * result (AArch64); all if the function is variadic or the record has
 * PATCHBAY_RECORD_UNKNOWN_ARGS. The other fields are undefined.
 *
 * Floating-point and vector registers are at @vectors, and only for handlers without
 * PATCHBAY_OPS_FAST. For FAST handlers the pointer is undefined, and they must not
 * call patchbay_regs_fp().
 */
#if defined(__x86_64__)
struct patchbay_regs {
	uint64_t r10; /* static chain of a nested function */
	uint64_t rdi, rsi, rdx, rcx, r8, r9;
	uint64_t rax; /* al: number of vector registers used by `...` */
	uint64_t *vectors;
	uint64_t reserved;
};

/* The register of integer argument @n, counted from 0, below gp_args. */
PATCHBAY_INLINE uint64_t *patchbay_regs_gp(struct patchbay_regs *regs,
					   unsigned int n)
{
	return (uint64_t *)regs + 1 + n;
}

/*
 * The vector register of floating-point argument @n, counted from 0, below
 * fp_args, as eight-byte words: xmm, ymm or zmm @n. float and double use the lower
 * bits.
 */
PATCHBAY_INLINE uint64_t *patchbay_regs_fp(struct patchbay_regs *regs,
					   unsigned int n)
{
	return regs->vectors + 8 * n;
}

/* The stack pointer at the entry, which points to the return address. */
PATCHBAY_INLINE uintptr_t patchbay_regs_sp(const struct patchbay_regs *regs)
{
	return (uintptr_t)(regs + 1) + sizeof(uint64_t);
}
#elif defined(__aarch64__)
struct patchbay_regs {
	uint64_t x0, x1, x2, x3, x4, x5, x6, x7;
	uint64_t x8;  /* address of the result, if that is in memory */
	uint64_t x15; /* static chain of a nested function */
	uint64_t reserved[3];
	uint64_t *vectors;
	uint64_t reserved_too[4];
};

/* The register of integer argument @n, counted from 0, below gp_args. */
PATCHBAY_INLINE uint64_t *patchbay_regs_gp(struct patchbay_regs *regs,
					   unsigned int n)
{
	return (uint64_t *)regs + n;
}

/*
 * The vector register of floating-point argument @n, counted from 0, below
 * fp_args, as eight-byte words: q @n. float and double use the lower bits.
 */
PATCHBAY_INLINE uint64_t *patchbay_regs_fp(struct patchbay_regs *regs,
					   unsigned int n)
{
	return regs->vectors + 2 * n;
}

/* The stack pointer at the entry; arguments on the stack are there. */
PATCHBAY_INLINE uintptr_t patchbay_regs_sp(const struct patchbay_regs *regs)
{
	return (uintptr_t)(regs + 1);
}
#elif defined(__powerpc64__)
struct patchbay_regs {
	uint64_t r3, r4, r5, r6, r7, r8, r9, r10;
	uint64_t r11; /* environment pointer: static chain of a nested function */
	uint64_t *vectors;
	uint64_t reserved[2];
};

/* The register of integer argument @n, counted from 0, below gp_args. */
PATCHBAY_INLINE uint64_t *patchbay_regs_gp(struct patchbay_regs *regs,
					   unsigned int n)
{
	return (uint64_t *)regs + n;
}

/*
 * The register of floating-point argument @n, counted from 0, below fp_args:
 * f1 + @n. A float is there as a double.
 */
PATCHBAY_INLINE uint64_t *patchbay_regs_fp(struct patchbay_regs *regs,
					   unsigned int n)
{
	return regs->vectors + n;
}

/*
 * The stack pointer at the entry: the caller's frame. Arguments on the stack
 * follow its header and eight doublewords, from 96 on.
 */
PATCHBAY_INLINE uintptr_t patchbay_regs_sp(const struct patchbay_regs *regs)
{
	return (uintptr_t)(regs + 1);
}
#elif defined(__riscv)
struct patchbay_regs {
	uint64_t a0, a1, a2, a3, a4, a5, a6, a7;
	uint64_t t2; /* static chain of a nested function */
	uint64_t t3; /* the same, in a program with landing pads */
	uint64_t *vectors;
	uint64_t reserved[5];
};

/* The register of integer argument @n, counted from 0, below gp_args. */
PATCHBAY_INLINE uint64_t *patchbay_regs_gp(struct patchbay_regs *regs,
					   unsigned int n)
{
	return (uint64_t *)regs + n;
}

/*
 * The register of floating-point argument @n, counted from 0, below fp_args:
 * fa @n. The upper half of a float is, and must be, all ones.
 */
PATCHBAY_INLINE uint64_t *patchbay_regs_fp(struct patchbay_regs *regs,
					   unsigned int n)
{
	return regs->vectors + n;
}

/* The stack pointer at the entry; arguments on the stack are there. */
PATCHBAY_INLINE uintptr_t patchbay_regs_sp(const struct patchbay_regs *regs)
{
	return (uintptr_t)(regs + 1);
}
#endif

#ifdef __cplusplus
}
#endif

#endif /* PATCHBAY_REGS_H */
