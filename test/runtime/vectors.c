/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Vector arguments survive a handler that uses every vector register: xmm, and
 * ymm and zmm where the processor has them; and variadic arguments, whose number
 * of vector registers is in al.
 */
// RUN: %build %s -o %t %link
// RUN: %t | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "Inputs/check.h"

#include <patchbay/patchbay.h>

#include <immintrin.h>
#include <stdarg.h>
#include <string.h>

static int calls;

/* What any handler may do: wipe all vector registers at full width. */
static void wipe(uintptr_t ip, uintptr_t parent_ip,
		 const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	calls++;
	if (__builtin_cpu_supports("avx512f"))
		__asm__ volatile(
			".irp n,0,1,2,3,4,5,6,7\n"
			"vpternlogd $255, %%zmm\\n, %%zmm\\n, %%zmm\\n\n"
			".endr\n" ::: "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",
			"xmm5", "xmm6", "xmm7");
	__asm__ volatile(".irp n,0,1,2,3,4,5,6,7\n"
			 "pcmpeqd %%xmm\\n, %%xmm\\n\n"
			 ".endr\n" ::: "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",
			 "xmm5", "xmm6", "xmm7");
}

#define FUNCTION(name, vector, element, target_isa)                            \
	__attribute__((noinline, target(target_isa))) static void              \
	take_##name(vector a, vector b, vector c, vector d, vector e,          \
		    vector f, vector g, vector h, element *out)                \
	{                                                                      \
		vector all[8] = { a, b, c, d, e, f, g, h };                    \
                                                                               \
		memcpy(out, all, sizeof(all));                                 \
	}                                                                      \
	__attribute__((noinline, target(target_isa))) static void              \
	check_##name(void)                                                     \
	{                                                                      \
		enum { N = sizeof(vector) / sizeof(element) };                 \
		element in[8 * N], out[8 * N];                                 \
		vector v[8];                                                   \
                                                                               \
		for (int i = 0; i < 8 * N; i++)                                \
			in[i] = (element)(i + 1);                              \
		memcpy(v, in, sizeof(v));                                      \
		take_##name(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7],    \
			    out);                                              \
		CHECK(!memcmp(in, out, sizeof(in)));                           \
	}

FUNCTION(xmm, __m128, float, "sse2")
FUNCTION(ymm, __m256d, double, "avx")
FUNCTION(zmm, __m512d, double, "avx512f")

NOINLINE static double take_variadic(int n, ...)
{
	double sum = 0;
	va_list ap;

	va_start(ap, n);
	while (n--)
		sum += va_arg(ap, double);
	va_end(ap);
	return sum;
}

static int check_all(void)
{
	int expected = 2;

	check_xmm();
	if (__builtin_cpu_supports("avx")) {
		check_ymm();
		expected++;
	}
	if (__builtin_cpu_supports("avx512f")) {
		check_zmm();
		expected++;
	}
	CHECK(take_variadic(9, 1., 2., 3., 4., 5., 6., 7., 8., 9.) == 45.);
	return expected;
}

int main(void)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = wipe };
	struct patchbay_ops *ops;

	check_all();
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK(patchbay_arm(ops, "take_*", 0) >= 4);
	CHECK_EQ(check_all(), calls);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	puts("done");
	return 0;
}
