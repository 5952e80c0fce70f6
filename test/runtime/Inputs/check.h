/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the run-time tests share: a check that says where it failed. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(cond)                                                            \
	do {                                                                   \
		if (!(cond)) {                                                 \
			printf("%s:%d: %s\n", __FILE__, __LINE__, #cond);      \
			exit(1);                                               \
		}                                                              \
	} while (0)

/* Like CHECK(a == b), but shows @a: most of what is compared is an error. */
#define CHECK_EQ(a, b)                                                         \
	do {                                                                   \
		long long left_ = (long long)(a), right_ = (long long)(b);     \
		if (left_ != right_) {                                         \
			printf("%s:%d: %s is %lld, not %lld\n", __FILE__,      \
			       __LINE__, #a, left_, right_);                   \
			exit(1);                                               \
		}                                                              \
	} while (0)

/*
 * For how long a test may take before that is taken for a hang. On an emulated
 * system, where PATCHBAY_TEST_SLOW is set, seconds are few instructions, so that
 * what takes 3 elsewhere has taken 40: there it is ten times as long.
 */
static inline unsigned int patience(double seconds)
{
	return (unsigned int)(getenv("PATCHBAY_TEST_SLOW") ? 10 * seconds
							   : seconds);
}

/* A call is a call: nothing is known about the function from its body. */
#define OPAQUE __attribute__((noinline, optnone))

/* For handlers that are PATCHBAY_OPS_FAST. */
#if defined(__powerpc64__)
#define GENERAL_REGS __attribute__((target("no-altivec,no-vsx")))
#elif defined(__riscv)
#define GENERAL_REGS /* other registers are not used unless asked for */
#else
#define GENERAL_REGS __attribute__((target("general-regs-only")))
#endif

#endif /* CHECK_H */
