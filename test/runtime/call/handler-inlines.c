/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Inline functions of the headers have no site, even if the compiler does not inline
 * them: in a handler with no_profile_instrument_function, and at -O0. A tracer of all
 * functions counts each call once.
 */
// RUN: %build -mgeneral-regs-only %s -o %t %link
// RUN: %t
// RUN: %build -mgeneral-regs-only -O0 %s -o %t-O0 %link
// RUN: %t-O0
#include "../Inputs/check.h"

#include <patchbay/args.h>
#include <patchbay/exit.h>

static long entries, exits;

__attribute__((no_profile_instrument_function)) static void
on_entry(uintptr_t ip, uintptr_t parent_ip, const struct patchbay_cell *cell,
	 struct patchbay_regs *regs)
{
	uint64_t *argument;

	(void)ip;
	(void)parent_ip;
	CHECK_EQ(patchbay_arg(cell, regs, 0, &argument), 0);
	CHECK_EQ(*argument, 41);
	CHECK(patchbay_regs_sp(regs) != 0);
	CHECK(patchbay_clock() != 0);
	entries++;
}

__attribute__((no_profile_instrument_function)) static void
on_leave(uintptr_t ip, uintptr_t parent_ip, const struct patchbay_cell *cell,
	 struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	CHECK(patchbay_session_word(cell, regs) != NULL);
	CHECK_EQ(patchbay_exit_reason(regs), 0);
	CHECK_EQ(*patchbay_result_gp(regs, 0), 42);
	exits++;
}

OPAQUE int next(int a)
{
	return a + 1;
}

__attribute__((no_profile_instrument_function)) int main(void)
{
	const struct patchbay_ops_attr attrs[] = {
		{ .size = sizeof(attrs[0]), .flags = PATCHBAY_OPS_FAST, .handler = on_entry },
		{ .size = sizeof(attrs[0]), .flags = PATCHBAY_OPS_FAST, .exit = on_leave },
	};
	struct patchbay_ops *ops;

	for (int i = 0; i < 2; i++) {
		CHECK_EQ(patchbay_ops_create(&attrs[i], &ops), 0);
		CHECK_EQ(patchbay_arm(ops, "*", 0), 1);
		CHECK_EQ(next(41), 42);
		CHECK_EQ(patchbay_ops_destroy(ops), 0);
	}
	CHECK_EQ(entries, 1);
	CHECK_EQ(exits, 1);
	return 0;
}
