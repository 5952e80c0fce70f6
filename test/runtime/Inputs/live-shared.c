/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Some functions share a cell. One function has moved to another shared cell, one to
 * the empty cell, and one to a private cell. Then the program prints a line and waits.
 */
#include "check.h"

#include <patchbay/patchbay.h>

#include <unistd.h>

OPAQUE int plum_a(int a) { return a; }
OPAQUE int plum_b(int a) { return a; }
OPAQUE int plum_c(int a) { return a; }
OPAQUE int plum_d(int a) { return a; }
OPAQUE int plum_e(int a) { return a; }
OPAQUE int plum_f(int a, int b) { return a + b; }

#define HANDLER(name)                                                          \
	static void name(uintptr_t ip, uintptr_t parent_ip,                    \
			 const struct patchbay_cell *cell,                     \
			 struct patchbay_regs *regs)                           \
	{                                                                      \
		(void)ip, (void)parent_ip, (void)cell, (void)regs;             \
	}
HANDLER(on_all)
HANDLER(on_some)

int main(void)
{
	static const char *const own[] = { "plum_c", "plum_d" };
	static void *const cookies[] = { (void *)0x33, (void *)0x44 };
	const struct patchbay_filter filter = { .size = sizeof(filter),
						.syms = own,
						.cookies = cookies,
						.cnt = 2 };
	struct patchbay_ops_attr attr = { .size = sizeof(attr),
					  .handler = on_all,
					  .data = (void *)0x11 };
	struct patchbay_ops *all, *some;

	CHECK_EQ(patchbay_ops_create(&attr, &all), 0);
	attr.handler = on_some;
	attr.data = (void *)0x22;
	CHECK_EQ(patchbay_ops_create(&attr, &some), 0);
	CHECK_EQ(patchbay_arm(all, "plum_*", 0), 6);
	CHECK_EQ(patchbay_arm(some, "plum_b", 0), 1);
	CHECK_EQ(patchbay_arm_filter(some, &filter, 0), 2);
	CHECK_EQ(patchbay_disarm(all, "plum_e"), 1);
	puts("ready");
	fflush(stdout);
	pause();
}
