/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A static call changes no register that caller or callee relies on: no argument
 * register of a preserve_none function, which may use every register, and no register
 * that a preserve_most function keeps for its caller (all but r11). The test covers
 * direct jumps, and indirect jumps, which reach distant targets.
 */
// REQUIRES: lld
// DEFINE: %{flags} =
// DEFINE: %{program} = %build -fno-sanitize=kcfi -O2 %{flags} %s -o %t --ld-path=%ld.lld -Wl,--static-calls %link -ldl
// RUN: %build -fno-sanitize=kcfi -O2 -DFAR -fPIC -shared %s -o %t.so
// RUN: %{program} && %t %t.so | FileCheck %s
/* IBT checks the target of the indirect jump, so the target starts with endbr64. */
// REDEFINE: %{flags} = -fcf-protection=branch
// RUN: %{program} && %t %t.so | FileCheck %s
// RUN: llvm-objdump -d --no-show-raw-insn %t --disassemble-symbols=near_sum,near_pair | FileCheck %s --check-prefix=ENDBR
// ENDBR-COUNT-2: >:{{[[:space:]]+[0-9a-f]+:[[:space:]]+}}endbr64
// CHECK:      direct: 123456789abc, pair 21
// CHECK-NEXT: update: 0 0
// CHECK-NEXT: far: cba987654321, pair 12

#include <patchbay/static_call.h>

#include "../Inputs/check.h"
#include "../Inputs/tramp.h"

#include <dlfcn.h>

typedef __attribute__((preserve_none)) unsigned long
sum_type(unsigned long, unsigned long, unsigned long, unsigned long,
	 unsigned long, unsigned long, unsigned long, unsigned long,
	 unsigned long, unsigned long, unsigned long, unsigned long);
typedef __attribute__((preserve_most)) void pair_type(int *, int *);

#define SUM(name, a, b, c, d, e, f, g, h, i, j, k, l)                          \
	__attribute__((preserve_none, noinline)) unsigned long name(           \
		unsigned long a, unsigned long b, unsigned long c,             \
		unsigned long d, unsigned long e, unsigned long f,             \
		unsigned long g, unsigned long h, unsigned long i,             \
		unsigned long j, unsigned long k, unsigned long l)             \
	{                                                                      \
		return ((((((((((a1 << 4 | a2) << 4 | a3) << 4 | a4) << 4 |    \
			      a5) << 4 | a6) << 4 | a7) << 4 | a8) << 4 |      \
			   a9) << 4 | a10) << 4 | a11) << 4 | a12;             \
	}

#ifdef FAR
SUM(far_sum, a12, a11, a10, a9, a8, a7, a6, a5, a4, a3, a2, a1)
__attribute__((preserve_most)) void far_pair(int *a, int *b)
{
	*a = 1;
	*b = 2;
}
#else
SUM(near_sum, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12)
__attribute__((preserve_most)) void near_pair(int *a, int *b)
{
	*a = 2;
	*b = 1;
}

DEFINE_STATIC_CALL(sum, near_sum);
DEFINE_STATIC_CALL(pair, near_pair);

/* The values of all these variables stay in registers across preserve_most calls. */
static __attribute__((noinline)) void show(const char *how)
{
	int a, b;
	unsigned long values[9];

	for (unsigned long i = 0; i < 9; i++)
		__asm__ volatile("" : "=r"(values[i]) : "0"(i));
	static_call(pair)(&a, &b);
	for (unsigned long i = 0; i < 9; i++)
		CHECK_EQ(values[i], i);
	printf("%s: %lx, pair %d%d\n", how,
	       static_call(sum)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), a, b);
}

int main(int argc, char **argv)
{
	void *library = dlopen(argv[argc - 1], RTLD_NOW);
	sum_type *far_sum;
	pair_type *far_pair;
	int a, b;

	CHECK(library);
	far_sum = (sum_type *)dlsym(library, "far_sum");
	far_pair = (pair_type *)dlsym(library, "far_pair");
	CHECK(has_direct_tramp(sum) && has_direct_tramp(pair));
	show("direct");
	a = static_call_update(sum, far_sum);
	b = static_call_update(pair, far_pair);
	printf("update: %d %d\n", a, b);
	CHECK(!has_direct_tramp(sum) && !has_direct_tramp(pair));
	show("far");
	return 0;
}
#endif
