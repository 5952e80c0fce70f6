/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A debugger that stops in a tracer's handler shows the callers. The backtrace passes
 * each type of trampoline: the program's, the library's, and those for exits.
 */
// REQUIRES: host-x86_64, gdb
// DEFINE: %{gdb} = gdb -nx -batch -iex 'set debuginfod enabled off' -ex 'break here' -ex run -ex backtrace
// RUN: %build -g %s -o %t %link
// RUN: %{gdb} --args %t | FileCheck %s
// RUN: %{gdb} --args %t exit | FileCheck %s
// RUN: %build -g -static %s -o %t.static %patchbay_lib/libpatchbay.a -lpthread
// RUN: %{gdb} --args %t.static | FileCheck %s
// RUN: %{gdb} --args %t.static exit | FileCheck %s
// CHECK:      {{^}}#0 {{.*}}here (
// CHECK-NEXT: {{^}}#1 {{.*}}handler (
// CHECK:      {{^}}#{{[0-9]+ .*}}fig (a=7)
// CHECK-NEXT: {{^}}#{{[0-9]+ .*}}tree (a=6)
// CHECK-NEXT: {{^}}#{{[0-9]+ .*}}main (
// CHECK-NOT:  {{^}}#

/*
 * The debugger also stops at the entry of the armed function, prints the argument, and
 * runs until the function returns.
 */
// DEFINE: %{session} = gdb -nx -batch -iex 'set debuginfod enabled off' -ex 'break tree' -ex run -ex 'break *fig' -ex continue -ex 'info args' -ex finish
// RUN: %{session} --args %t | FileCheck %s --check-prefix=SESSION
// RUN: %{session} --args %t exit | FileCheck %s --check-prefix=SESSION
// RUN: %{session} --args %t.static | FileCheck %s --check-prefix=SESSION
// RUN: %{session} --args %t.static exit | FileCheck %s --check-prefix=SESSION
// SESSION: {{^}}Breakpoint 2, fig (a=7)
// SESSION: {{^}}a = 7{{$}}
// SESSION: tree (a=6)
// SESSION: {{^}}Value returned is $1 = 8{{$}}

#include "../Inputs/check.h"

#include <patchbay/patchbay.h>

#include <string.h>

/* Optimized, so that the argument has a location at the entry. */
__attribute__((noinline)) int fig(int a)
{
	__asm__ volatile("");
	return a + 1;
}

OPAQUE int tree(int a) { return fig(a + 1) + 1; }

__attribute__((noinline, no_instrument_function)) static void here(void)
{
	__asm__ volatile("");
}

static void handler(uintptr_t ip, uintptr_t parent_ip,
		    const struct patchbay_cell *cell, struct patchbay_regs *regs)
{
	(void)ip;
	(void)parent_ip;
	(void)cell;
	(void)regs;
	here();
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	struct patchbay_ops_attr attr = { .size = sizeof(attr) };
	struct patchbay_ops *ops;

	if (argc > 1 && !strcmp(argv[1], "exit"))
		attr.exit = handler;
	else
		attr.handler = handler;
	CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
	CHECK_EQ(patchbay_arm(ops, "fig", 0), 1);
	return tree(6) != 9;
}
