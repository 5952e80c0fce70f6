/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * perf's call graphs are complete in armed functions: each sample is below main(), as
 * without a tracer. The test uses frame pointers, then unwind tables.
 */
// REQUIRES: host-x86_64, perf
// DEFINE: %{perf} = perf record -q -o %t.data -F 997 -e cpu-clock:u
// DEFINE: %{report} = perf report -i %t.data --stdio --children -g none -F overhead_children,sym
// DEFINE: %{root} =
// DEFINE: %{check} = %{report} 2>/dev/null | FileCheck %s -DROOT=%{root}
/*
 * With frame pointers, perf omits one caller in samples before `push %rbp`, for example
 * in an entry handler. Such a sample in tree() lacks main(), but has tree()'s callers.
 */
// REDEFINE: %{root} = __libc_start_call_main
// RUN: %build -static -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer %s -o %t.frames %patchbay_lib/libpatchbay.a -lpthread
// RUN: %{perf} -g %t.frames none && %{check}
// RUN: %{perf} -g %t.frames entry && %{check}
// RUN: %{perf} -g %t.frames exit && %{check}
// REDEFINE: %{root} = main
// RUN: %build -static %s -o %t.tables %patchbay_lib/libpatchbay.a -lpthread
// RUN: %{perf} --call-graph dwarf,4096 %t.tables none && %{check}
// RUN: %{perf} --call-graph dwarf,4096 %t.tables entry && %{check}
// RUN: %{perf} --call-graph dwarf,4096 %t.tables exit && %{check}
// CHECK-DAG: {{(9[5-9]|100)\.[0-9]+% .*}} [[ROOT]]{{ *$}}
// CHECK-DAG: {{[0-9]+\.[0-9]+% .*}} tree{{ *$}}
// CHECK-DAG: {{[0-9]+\.[0-9]+% .*}} fig{{ *$}}

#include "../Inputs/check.h"

#include <patchbay/patchbay.h>

#include <string.h>
#include <time.h>

#define NEVER_INLINED __attribute__((noinline))

static volatile int counted;

NEVER_INLINED int fig(int a)
{
	counted = counted + a;
	return a + 1;
}

/* The addition keeps each call from being a tail call. */
NEVER_INLINED int tree(int a) { return fig(a) + fig(a + 1) + 1; }

static void handler(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	counted = counted + 1;
}

int main(int argc, char **argv)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr) };
	const char *kind = argc > 1 ? argv[1] : "none";
	struct patchbay_ops *ops;
	clock_t end;

	attr.handler = strcmp(kind, "exit") ? handler : NULL;
	attr.exit = strcmp(kind, "exit") ? NULL : handler;
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	if (strcmp(kind, "none")) {
		CHECK_EQ(patchbay_arm(ops, "fig", 0), 1);
		CHECK_EQ(patchbay_arm(ops, "tree", 0), 1);
	}
	/* Some 900 samples: of 300, it happened that none was in fig(). */
	end = clock() + CLOCKS_PER_SEC * 9 / 10;
	while (clock() < end)
		for (int i = 0; i < 10000; ++i)
			tree(i);
	return 0;
}
