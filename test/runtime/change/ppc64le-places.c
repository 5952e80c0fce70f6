/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ppc64le: arming works for more functions than one area of sequences can serve, and
 * for text too large for one area to reach. A user-mode emulator sees code that is
 * patched before its first execution.
 */
// REQUIRES: qemu-ppc64le, libpatchbay-ppc64le
// RUN: %build --target=powerpc64le-linux-gnu -static -Wl,--section-start=far_text=0x10020000,-Ttext=0x16000000 %s -o %t %patchbay_lib/ppc64le/libpatchbay.a -lpthread
// RUN: qemu-ppc64le %t | FileCheck %s
// CHECK: {{^}}armed 2561 in {{9[56]}} MB{{$}}

#include "../Inputs/check.h"

#include <patchbay/patchbay.h>

#define F1(n) static int f##n(int a) { return a + 1; }
#define F8(n)                                                                  \
	F1(n##0) F1(n##1) F1(n##2) F1(n##3)                                    \
	F1(n##4) F1(n##5) F1(n##6) F1(n##7)
#define F64(n)                                                                 \
	F8(n##0) F8(n##1) F8(n##2) F8(n##3)                                    \
	F8(n##4) F8(n##5) F8(n##6) F8(n##7)
#define F512(n)                                                                \
	F64(n##0) F64(n##1) F64(n##2) F64(n##3)                                \
	F64(n##4) F64(n##5) F64(n##6) F64(n##7)
#define F2560 F512(0) F512(1) F512(2) F512(3) F512(4)
F2560

__attribute__((section("far_text"))) static int f_far(int a) { return a + 1; }

#undef F1
#define F1(n) f##n,
static int (*volatile functions[])(int) = { F2560 f_far };
#define NR (sizeof(functions) / sizeof(functions[0]))

static uintptr_t seen;

static void handler(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)parent_ip;
	(void)cell;
	(void)regs;
	seen = ip;
}

int main(void)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr),
						.flags = PATCHBAY_OPS_FAST,
						.handler = handler };
	struct patchbay_ops *ops;
	int armed;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	armed = patchbay_arm(ops, "f[0-9_]*", 0);
	for (size_t i = 0; i < NR; i++) {
		CHECK_EQ(functions[i]((int)i), i + 1);
		CHECK(seen == (uintptr_t)functions[i]);
	}
	printf("armed %d in %ld MB\n", armed,
	       (long)((uintptr_t)functions[0] - (uintptr_t)f_far) >> 20);
	return 0;
}
