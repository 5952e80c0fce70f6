/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * LeakSanitizer finds a tracer's data through the library's pointer, the only one, and
 * reports no leak. Memory that the program itself has lost is still reported.
 */
// RUN: %build -fsanitize=address -fno-sanitize=kcfi %s -o %t %link
// RUN: env ASAN_OPTIONS=detect_leaks=1 %t | FileCheck %s
// RUN: not env ASAN_OPTIONS=detect_leaks=1 %t lost 2>&1 | FileCheck %s --check-prefix=LOST
// CHECK: {{^}}called: 1{{$}}
// LOST: 24 byte(s) leaked in 1 allocation(s)
#include "../Inputs/check.h"

#include <patchbay/patchbay.h>

#include <stdio.h>
#include <stdlib.h>

static int called;

static void enter(uintptr_t ip, uintptr_t parent_ip, const struct patchbay_cell *cell,
		  struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	called++;
}

OPAQUE int work(int a)
{
	return a + 1;
}

static __attribute__((noinline)) struct patchbay_ops *create(void)
{
	const struct patchbay_ops_attr attr = { .size = sizeof(attr), .handler = enter,
						.data = calloc(1, 1000) };
	struct patchbay_ops *ops;

	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, "work", 0), 1);
	return ops;
}

static __attribute__((noinline)) void lose(void)
{
	void *volatile lost = malloc(24);

	lost = NULL;
	(void)lost;
}

int main(int argc, char **argv)
{
	(void)argv;
	create();
	work(1);
	if (argc > 1)
		lose();
	printf("called: %d\n", called);
	return 0;
}
