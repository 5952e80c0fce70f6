/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Every call goes to the target of the last update in a program that BOLT has moved.
 * BOLT leaves the tramps where the runtime expects them, and redirects tramps, keys and
 * callers to the moved functions.
 */
// REQUIRES: lld, llvm-bolt
// RUN: %build -fno-sanitize=kcfi -O2 %s -o %t --ld-path=%ld.lld -Wl,--static-calls,--emit-relocs %link
// RUN: %t | FileCheck %s
// RUN: llvm-bolt %t -o %t.bolt -lite=0 2>&1 | FileCheck %s --check-prefix=BOLT
// RUN: llvm-objdump -d --no-show-raw-insn %t.bolt | FileCheck %s --check-prefix=MOVED
// RUN: %t.bolt | FileCheck %s
// BOLT-NOT: ERROR
// MOVED-LABEL: section .static_call.text:
// MOVED:       <__SCT__adjust>:
// MOVED-NEXT:  jmp 0x[[#%x,PLUS_ONE:]] <plus_one>
// MOVED-LABEL: section .text:
// MOVED:       {{0*}}[[#PLUS_ONE]] <plus_one>:
// MOVED-NOT:   {{^[0-9a-f]+}} <__SCT__
// CHECK:      11 0 none
// CHECK-NEXT: update: 0 0 0
// CHECK-NEXT: 12 3 found
// CHECK-NEXT: update: 0 0
// CHECK-NEXT: 0 3 found
// CHECK-NEXT: 10 3 found

#include <patchbay/static_call.h>

#include <stdio.h>
#include <stdlib.h>

static long plus_one(long x) { return x + 1; }
static long plus_two(long x) { return x + 2; }
static long three(void) { return 3; }
static void find(const char **what) { *what = "found"; }

DEFINE_STATIC_CALL(adjust, plus_one);
DEFINE_STATIC_CALL_RET0(count, three);
DEFINE_STATIC_CALL_NULL(look, find);

static __attribute__((noinline)) void show(void)
{
	const char *what = "none";
	long adjusted = static_call(adjust)(10);
	long counted = static_call(count)();

	static_call_cond(look)(&what);
	printf("%ld %ld %s\n", adjusted, counted, what);
}

int main(void)
{
	int a, b, c;

	show();
	a = static_call_update(adjust, plus_two);
	b = static_call_update(count, three);
	c = static_call_update(look, find);
	printf("update: %d %d %d\n", a, b, c);
	show();
	a = static_call_update(adjust,
			       (long (*)(long))(void *)__static_call_return0);
	b = static_call_update(count, three);
	printf("update: %d %d\n", a, b);
	show();
	/*
	 * The target is out of a direct jump's range, so the tramp jumps indirectly.
	 */
	static_call_update(adjust, labs);
	show();
	return 0;
}
