/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Each part of each vector argument and result survives handlers while all other parts
 * are zero. The library does not load upper parts that are zero: a load would make them
 * dirty for ever in a program without AVX, and slow down each SSE instruction.
 */
// REQUIRES: host-x86_64
// RUN: %build %s -o %t.sse %link
// RUN: %t.sse | FileCheck %s
// RUN: %build -mavx %s -o %t.avx %link
// RUN: %t.avx | FileCheck %s
// RUN: %build -mavx512f %s -o %t.avx512 %link
// RUN: %t.avx512 | FileCheck %s
// CHECK: {{^}}{{done|done, but this processor does not say what is dirty|skipped: this processor has no avx(512f)?}}{{$}}

#include "../Inputs/check.h"

#include <patchbay/patchbay.h>

#include <cpuid.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
#define ISA "avx512f"
#define WIDTH 64
#elif defined(__AVX__)
#define ISA "avx"
#define WIDTH 32
#else
#define ISA "sse2"
#define WIDTH 16
#endif

#define ARGS 8
#define PARTS (WIDTH / 8)

typedef double vector __attribute__((vector_size(WIDTH)));

static int calls;

/* Overwrites all registers that a handler may change, at the width of the program. */
static void wipe(uintptr_t ip, uintptr_t parent_ip, const struct patchbay_cell *cell,
		 struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	calls++;
#if defined(__AVX__)
	__asm__ volatile(".irp n,0,1,2,3,4,5,6,7\n"
			 "vcmptrueps %%ymm\\n, %%ymm\\n, %%ymm\\n\n"
			 ".endr\n" ::
				 : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",
				   "xmm6", "xmm7");
#else
	__asm__ volatile(".irp n,0,1,2,3,4,5,6,7\n"
			 "pcmpeqd %%xmm\\n, %%xmm\\n\n"
			 ".endr\n" ::
				 : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",
				   "xmm6", "xmm7");
#endif
}

static GENERAL_REGS void count(uintptr_t ip, uintptr_t parent_ip,
			       const struct patchbay_cell *cell,
			       struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	calls++;
}

OPAQUE void take_vectors(vector a, vector b, vector c, vector d, vector e, vector f,
			 vector g, vector h, double *out)
{
	vector all[ARGS] = { a, b, c, d, e, f, g, h };

	memcpy(out, all, sizeof(all));
}

OPAQUE vector give_vector(const double *in)
{
	vector v;

	memcpy(&v, in, sizeof(v));
	return v;
}

static void check_parts(void)
{
	double in[ARGS * PARTS], out[ARGS * PARTS];
	vector v[ARGS], result;

	for (size_t part = 0; part < ARGS * PARTS; part++) {
		memset(in, 0, sizeof(in));
		in[part] = 1;
		memcpy(v, in, sizeof(v));
		take_vectors(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], out);
		CHECK(!memcmp(in, out, sizeof(in)));
	}
	for (size_t part = 0; part < PARTS; part++) {
		memset(in, 0, sizeof(in));
		in[part] = 1;
		result = give_vector(in);
		CHECK(!memcmp(&result, in, sizeof(result)));
	}
}

/* Bits of XINUSE: the upper halves of ymm0-15 and of zmm0-15. */
#define UPPER 0x44

static int can_tell(void)
{
	unsigned int a, b, c, d;

	return __builtin_cpu_supports("avx") && __get_cpuid_count(13, 1, &a, &b, &c, &d) &&
	       (a & 4);
}

static unsigned int dirty(void)
{
	unsigned int low, high;

	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
	return low & UPPER;
}

OPAQUE static double take_double(double x)
{
	return x + 1;
}

/* Returns the dirty bits after a call that started with none. */
static unsigned int dirty_after(void)
{
	__asm__ volatile("vzeroupper");
	CHECK(take_double(1) == 2);
	return dirty();
}

static void trace(patchbay_handler at_entry, patchbay_handler at_exit,
		  unsigned int flags, void (*check)(void))
{
	struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.flags = flags,
		.handler = at_entry,
		.exit = at_exit,
	};
	struct patchbay_ops *ops;

	calls = 0;
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, "*_vector*", 0), 2);
	CHECK_EQ(patchbay_arm(ops, "take_double", 0), 1);
	check();
	CHECK(calls > 0);
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
}

static void check_dirty(void)
{
	for (int i = 0; i < 3; i++)
		CHECK_EQ(dirty_after(), 0);
}

int main(void)
{
	int tells;

	if (!__builtin_cpu_supports(ISA)) {
		puts("skipped: this processor has no " ISA);
		return 0;
	}
	tells = can_tell() && !dirty_after();
	/* Run this check first, because the first call of a thread takes another path. */
	if (tells) {
		trace(count, NULL, PATCHBAY_OPS_FAST, check_dirty);
		trace(wipe, NULL, 0, check_dirty);
		trace(NULL, wipe, 0, check_dirty);
		trace(wipe, wipe, 0, check_dirty);
	}
	trace(count, NULL, PATCHBAY_OPS_FAST, check_parts);
	trace(wipe, NULL, 0, check_parts);
	trace(NULL, wipe, 0, check_parts);
	trace(wipe, wipe, 0, check_parts);
	puts(tells ? "done" : "done, but this processor does not say what is dirty");
	return 0;
}
