/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * With --depth, calls beyond the limit use no additional stack. A call with an exit
 * handler uses some 300 bytes, so a deep recursion may overflow. Here 24 MB are enough
 * for 200,000 untraced levels, but not for a third of them with exits. The test
 * includes results in vector registers, and arguments on the stack.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %build %s -o %t/prog %link
// RUN: prlimit --stack=25165824 %t/prog
// DEFINE: %{count} = %patchbay dump --csv %t/patchbay.data | %python %S/../Inputs/count-depths.py | FileCheck %s --match-full-lines
// RUN: cd %t && prlimit --stack=25165824 %patchbay record -t function_duration --depth 3 -- ./prog
// RUN: %{count}
// RUN: cd %t && prlimit --stack=25165824 %patchbay record -t function_graph --depth 3 -- ./prog
// RUN: %{count}
//      CHECK:0 main returned 1
// CHECK-NEXT:1 integers returned 1
// CHECK-NEXT:1 numbers returned 1
// CHECK-NEXT:1 on_stack returned 1
// CHECK-NEXT:2 integers returned 1
// CHECK-NEXT:2 numbers returned 1
// CHECK-NEXT:2 on_stack returned 1
//  CHECK-NOT:{{.}}
#include "../Inputs/check.h"

#define DEEP 200000

OPAQUE long integers(long n)
{
	return n ? integers(n - 1) + 1 : 0;
}

OPAQUE double numbers(long n)
{
	return n ? numbers(n - 1) + 1 : 0;
}

OPAQUE long on_stack(long n, long b, long c, long d, long e, long f, long g)
{
	return n ? on_stack(n - 1, b, c, d, e, f, g) + g : 0;
}

int main(void)
{
	CHECK_EQ(integers(DEEP), DEEP);
	CHECK_EQ((long)numbers(DEEP), DEEP);
	CHECK_EQ(on_stack(DEEP, 1, 2, 3, 4, 5, 1), DEEP);
	return 0;
}
