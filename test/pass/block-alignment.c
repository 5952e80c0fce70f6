// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An aligned first block aligns the function, so no padding is between entry and site.
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -mllvm -align-all-blocks=6 -c %s -o %t.o && %shared %t.o -o %t.so && %patchbay verify %t.so | FileCheck %s
// RUN: %clang_pass --target=aarch64-linux-gnu -O2 -mllvm -align-all-blocks=6 -c %s -o %t.o && %shared %t.o -o %t.so && %patchbay verify %t.so | FileCheck %s
// CHECK: 1 functions verified, 0 faults
extern int g(int);
int f(int a) {
  int sum = 0;
  for (int i = 0; i < a; i++)
    sum += g(i);
  return sum;
}
