/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A static executable, position-independent or not, contains the runtime and can be
 * traced.
 */
// RUN: %build -static %s -o %t %patchbay_lib/libpatchbay.a -lpthread
// RUN: %t | FileCheck %s
// RUN: %build -static-pie -fPIE %s -o %t.pie %patchbay_lib/libpatchbay.a -lpthread
// RUN: %t.pie | FileCheck %s
// RUN: %build -no-pie -fno-pie %s -o %t.dynamic %link
// RUN: %t.dynamic | FileCheck %s
/* Functions of a stripped program have no names. Addresses and "*" still select them. */
// RUN: llvm-strip %t -o %t.stripped
// RUN: %t.stripped | FileCheck %s --check-prefix=STRIPPED
// CHECK: named 1 calls 10
// STRIPPED: named -2 calls 10

#include "../Inputs/check.h"

#include <patchbay/patchbay.h>

OPAQUE int olive(int a) { return a; }

static int calls;
static uintptr_t wanted;

static void handler(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)parent_ip;
	(void)cell;
	(void)regs;
	calls += ip == wanted;
}

int main(void)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = handler };
	struct patchbay_filter filter = { .size = sizeof(filter) };
	struct patchbay_ops *ops;

	wanted = (uintptr_t)olive;
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	printf("named %d", patchbay_arm(ops, "olive", 0));
	patchbay_disarm(ops, "*");
	filter.addrs = &wanted;
	filter.cnt = 1;
	CHECK_EQ(patchbay_arm_filter(ops, &filter, 0), 1);
	olive(1);
	CHECK_EQ(calls, 1);
	CHECK_EQ(patchbay_disarm(ops, "*"), 1);
	calls = 0;
	CHECK(patchbay_arm(ops, "*", 0) > 0);
	for (int i = 0; i < 10; i++)
		olive(i);
	printf(" calls %d\n", calls);
	return 0;
}
