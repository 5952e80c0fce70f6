/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Vector and floating-point arguments survive a handler that uses all their registers,
 * at the vector width of the program. Variadic arguments survive, too; on x86-64 al
 * contains the number of their vector registers.
 */
// RUN: %build %s -o %t.sse %link
// RUN: %t.sse | FileCheck %s
// RUN: %build -mavx %s -o %t.avx %link
// RUN: %t.avx | FileCheck %s
// RUN: %build -mavx512f %s -o %t.avx512 %link
// RUN: %t.avx512 | FileCheck %s
// CHECK: {{^}}{{done|skipped: this processor has no avx(512f)?}}{{$}}

#include "../Inputs/check.h"

#include <patchbay/patchbay.h>

#include <stdarg.h>
#include <string.h>

#if defined(__AVX512F__)
#define ISA "avx512f"
#define WIDTH 64
#define WIPE "vpternlogd $255, %%zmm\\n, %%zmm\\n, %%zmm\\n"
#elif defined(__AVX__)
#define ISA "avx"
#define WIDTH 32
#define WIPE "vcmptrueps %%ymm\\n, %%ymm\\n, %%ymm\\n"
#elif defined(__SSE2__)
#define ISA "sse2"
#define WIDTH 16
#define WIPE "pcmpeqd %%xmm\\n, %%xmm\\n"
#elif defined(__aarch64__)
#define WIDTH 16
#define WIPE "movi v\\n\\().16b, #255"
#elif defined(__powerpc64__)
#define WIDTH 16
#define WIPE "xxleqv \\n, \\n, \\n\n vspltisw \\n, -1"
#elif defined(__riscv)
#define WIDTH 8
#define WIPE "fcvt.d.w fa\\n, zero"
#endif

#if defined(__x86_64__)
#define VECTORS "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7"
#elif defined(__aarch64__)
#define VECTORS "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7"
#elif defined(__powerpc64__)
#define VECTORS                                                                \
	"f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10",     \
		"f11", "f12", "f13", "v0", "v1", "v2", "v3", "v4", "v5", "v6", \
		"v7", "v8", "v9", "v10", "v11", "v12", "v13"
#define NUMBERS "0,1,2,3,4,5,6,7,8,9,10,11,12,13"
#elif defined(__riscv)
#define VECTORS "fa0", "fa1", "fa2", "fa3", "fa4", "fa5", "fa6", "fa7"
#endif
#ifndef NUMBERS
#define NUMBERS "0,1,2,3,4,5,6,7"
#endif

typedef double vector __attribute__((vector_size(WIDTH)));

static int calls;

/* Overwrites all registers that a handler may change. */
static void wipe(uintptr_t ip, uintptr_t parent_ip,
		 const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	calls++;
	__asm__ volatile(".irp n," NUMBERS "\n" WIPE "\n.endr\n" ::: VECTORS);
}

/*
 * Takes more arguments of each type than most targets have registers. The function is
 * not static, so that LLVM does not choose its own calling convention (riscv64).
 */
OPAQUE void take_vectors(vector a, vector b, vector c, vector d, vector e,
			 vector f, vector g, vector h, vector i, vector j,
			 vector k, vector l, double *out)
{
	vector all[12] = { a, b, c, d, e, f, g, h, i, j, k, l };

	memcpy(out, all, sizeof(all));
}

/* Not static, because the compiler would propagate the constants of its only call. */
OPAQUE double take_doubles(double a, double b, double c, double d, double e,
			   double f, double g, double h, double i, double j,
			   double k, double l, double m)
{
	double all[13] = { a, b, c, d, e, f, g, h, i, j, k, l, m }, sum = 0;

	for (int n = 0; n < 13; n++)
		sum += (n + 1) * all[n];
	return sum;
}

OPAQUE static double take_variadic(int n, ...)
{
	double sum = 0;
	va_list ap;

	va_start(ap, n);
	while (n--)
		sum += va_arg(ap, double);
	va_end(ap);
	return sum;
}

static void check(void)
{
	vector v[12];
	double in[12 * WIDTH / 8], out[12 * WIDTH / 8];

	for (int i = 0; i < 12 * WIDTH / 8; i++)
		in[i] = i + 1;
	memcpy(v, in, sizeof(v));
	take_vectors(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9],
		     v[10], v[11], out);
	CHECK(!memcmp(in, out, sizeof(in)));
	CHECK(take_doubles(1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12.,
			   13.) == 819.);
	CHECK(take_variadic(9, 1., 2., 3., 4., 5., 6., 7., 8., 9.) == 45.);
}

int main(void)
{
	/* Static, not on the stack: copying it may need unsupported registers. */
	static struct patchbay_ops_attr attr = { .size = sizeof(attr),
						 .handler = wipe };
	struct patchbay_ops *ops;

#ifdef ISA
	if (!__builtin_cpu_supports(ISA)) {
		puts("skipped: this processor has no " ISA);
		return 0;
	}
#endif
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, "take_*", 0), 3);
	/* The first call of a thread takes another path than later ones. */
	for (int i = 1; i <= 3; i++) {
		check();
		CHECK_EQ(calls, 3 * i);
	}
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	puts("done");
	return 0;
}
