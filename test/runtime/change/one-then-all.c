/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * In a large module a single function that was armed first does not make later changes of all
 * functions slow: these need about as many instructions as without it.
 */
// REQUIRES: valgrind, host-x86_64
// RUN: %build %s -o %t %link
// RUN: %python %S/../Inputs/one-then-all.py %patchbay_source %t | FileCheck %s
// CHECK: {{^}}without: {{[1-9][0-9]*}}, with: {{[1-9][0-9]*}}{{$}}
// CHECK-NEXT: {{^}}as fast{{$}}

#include "../Inputs/check.h"

#include <patchbay/patchbay.h>

#define F(n) int plain_##n(int a) { return a + n; }
#define F10(n) F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7) F(n##8) F(n##9)
#define F100(n) F10(n##0) F10(n##1) F10(n##2) F10(n##3) F10(n##4) F10(n##5) F10(n##6) \
	F10(n##7) F10(n##8) F10(n##9)
#define F1000(n) F100(n##0) F100(n##1) F100(n##2) F100(n##3) F100(n##4) F100(n##5) \
	F100(n##6) F100(n##7) F100(n##8) F100(n##9)

F1000(1) F1000(2)

static struct patchbay_ops *ops;

__attribute__((target("general-regs-only"))) static void
see(uintptr_t ip, uintptr_t parent_ip, const struct patchbay_cell *cell,
    struct patchbay_regs *regs)
{
	(void)ip, (void)parent_ip, (void)cell, (void)regs;
}

/* The script counts the instructions of each call. */
__attribute__((noinline, no_profile_instrument_function)) void toggle_all_functions(void)
{
	CHECK(patchbay_arm(ops, "plain_*", 0) == 2000);
	CHECK(patchbay_disarm(ops, "plain_*") == 2000);
}

int main(int argc, char **argv)
{
	const struct patchbay_ops_attr attr = {
		.size = sizeof(attr),
		.flags = PATCHBAY_OPS_FAST,
		.handler = see,
	};

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	if (argc > 1) {
		CHECK_EQ(patchbay_arm(ops, argv[1], 0), 1);
		CHECK_EQ(patchbay_disarm(ops, argv[1]), 1);
	}
	toggle_all_functions();
	toggle_all_functions();
	CHECK_EQ(patchbay_ops_destroy(ops), 0);
	return 0;
}
