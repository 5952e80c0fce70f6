/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shared by the runtime tests: checks that print the line of a failure. */
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

/* Like CHECK(a == b), but prints @a, which is an error code in most cases. */
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
 * Returns the time after which a test counts as hung. On emulated systems, which set
 * PATCHBAY_TEST_SLOW, the time is ten times as long: tests that take 3 s elsewhere have
 * taken 40 s there.
 */
static inline unsigned int patience(double seconds)
{
	return (unsigned int)(getenv("PATCHBAY_TEST_SLOW") ? 10 * seconds
							   : seconds);
}

/* The compiler does not know the body of such a function, so it keeps all calls. */
#define OPAQUE __attribute__((noinline, optnone))

/* For handlers of tracers with PATCHBAY_OPS_FAST. */
#if defined(__powerpc64__)
#define GENERAL_REGS __attribute__((target("no-altivec,no-vsx")))
#elif defined(__riscv)
#define GENERAL_REGS /* the compiler uses no other registers by itself */
#else
#define GENERAL_REGS __attribute__((target("general-regs-only")))
#endif

#endif /* CHECK_H */
