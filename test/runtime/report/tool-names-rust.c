/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * LLVM numbers the copies of a Rust function. With rustc's older mangling, these
 * numbers distinguish the copies, and the rest of the name is as in the source.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog
// RUN: %patchbay list --full-names -F '*app*' %t/prog | FileCheck %s
//  CHECK-DAG: {{  core::ptr::drop_in_place<app::Task> \(\.llvm\.12\)$}}
//  CHECK-DAG: {{  core::ptr::drop_in_place<app::Task> \(\.llvm\.34\)$}}
//  CHECK-DAG: {{  app::run::\{\{closure\}\}$}}
//  CHECK-NOT: {{\$|h0123}}
#define HASH "17h0123456789abcdefE"
#define NAMED(name, symbol)                                                    \
	__attribute__((noinline)) void name(void) __asm__(symbol);             \
	void name(void) { __asm__ volatile(""); }

NAMED(first, "_ZN4core3ptr30drop_in_place$LT$app..Task$GT$" HASH ".llvm.12")
NAMED(second, "_ZN4core3ptr30drop_in_place$LT$app..Task$GT$" HASH ".llvm.34")
NAMED(single, "_ZN3app3run28_$u7b$$u7b$closure$u7d$$u7d$" HASH ".llvm.12")

int main(void)
{
	first();
	second();
	single();
	return 0;
}
