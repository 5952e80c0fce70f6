// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --depth drops calls beyond the limit and records the others, even after longjmp() and
// exceptions have left calls without an exit.
// RUN: rm -rf %t && mkdir %t
// RUN: %buildxx %s -o %t/prog %link
// DEFINE: %{count} = %patchbay dump --csv %t/patchbay.data | %python %S/../Inputs/count-depths.py | FileCheck %s --check-prefix
// RUN: cd %t && %patchbay record -t function_duration --depth 2 -- ./prog
// RUN: %{count}=TWO
//      TWO: 0 main returned 1
// TWO-NEXT: 1 catches() returned 10
// TWO-NEXT: 1 continues() returned 10
// TWO-NEXT: 1 jumps() returned 10
// TWO-NEXT: 1 recurses(int) returned 10
//  TWO-NOT: {{.}}
// RUN: cd %t && %patchbay record -t function_graph --depth 3 -- ./prog
// RUN: %{count}=THREE
//      THREE: 0 main returned 1
// THREE-NEXT: 1 catches() returned 10
// THREE-NEXT: 1 continues() returned 10
// THREE-NEXT: 1 jumps() returned 10
// THREE-NEXT: 1 recurses(int) returned 10
// THREE-NEXT: 2 after() returned 10
// THREE-NEXT: 2 is_left(int) jumped 20
// THREE-NEXT: 2 recurses(int) returned 10
// THREE-NEXT: 2 throws(int) unwound 10
//  THREE-NOT: {{.}}
//
// Untraced calls do not count towards the depth.
// RUN: cd %t && %patchbay record -t function_duration --depth 1 -F 'throws*' -F 'recurses*' -- ./prog
// RUN: %{count}=ONE
//      ONE: 0 recurses(int) returned 10
// ONE-NEXT: 0 throws(int) unwound 10
//  ONE-NOT: {{.}}
#include "../Inputs/check.h"

#include <csetjmp>

static jmp_buf target;

OPAQUE int is_left(int n) {
  if (n == 0)
    longjmp(target, 1);
  return is_left(n - 1) + 1;
}
OPAQUE void jumps() {
  if (!setjmp(target))
    is_left(5);
}
OPAQUE void after() {}
OPAQUE void continues() {
  if (!setjmp(target))
    is_left(5);
  after();
}
OPAQUE int throws(int n) {
  if (n == 0)
    throw n;
  return throws(n - 1) + 1;
}
OPAQUE int catches() {
  try {
    return throws(5);
  } catch (int n) {
    return n;
  }
}
OPAQUE int recurses(int n) { return n ? recurses(n - 1) + 1 : 0; }

int main() {
  int sum = 0;
  for (int i = 0; i < 10; ++i) {
    jumps();
    continues();
    sum += catches();
    sum += recurses(100);
  }
  return sum != 1000;
}
