// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command shows the records of a program for another architecture.
// RUN: %clang_pass --target=aarch64-linux-gnu -O2 -fsanitize=kcfi -mbranch-protection=bti -c %s -o %t.o
// RUN: %shared %t.o -o %t.so
// RUN: %patchbay list %t.so | FileCheck %s
// RUN: %patchbay list --json %t.so | FileCheck %s --check-prefix=JSON

// CHECK: {{[0-9a-f]+}} 00050794 1 0 0 int - plus
int plus(int a) { return a + 1; }
// CHECK-NEXT: {{[0-9a-f]+}} {{[0-9a-f]+}} 1 2 0 fp variadic report
double report(double a, double b, int c, ...) { return a; }

// JSON: "machine": "aarch64"
// JSON: "name": "plus"
