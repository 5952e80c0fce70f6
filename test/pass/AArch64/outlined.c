// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of the machine outliner have no slot: their callers may use any
// register, even those that a site changes.
// RUN: %clang_pass --target=aarch64-linux-gnu -Oz -c %s -o %t.o \
// RUN:   -Rpass=patchbay -Rpass-missed=patchbay 2>&1 | FileCheck %s
// CHECK-DAG: remark: one: slot and site
// CHECK-DAG: remark: two: slot and site
// CHECK-DAG: remark: OUTLINED_FUNCTION_0: no slot: it is outlined code: its callers may use any register

extern int to[];
#define SAME                                                                   \
  to[0] = a * 3, to[1] = b * 7, to[2] = a ^ b, to[3] = a + b, to[4] = a - b,   \
  to[5] = a * b, to[6] = a | b, to[7] = a & b
int one(int a, int b) { SAME; return 1; }
int two(int a, int b) { SAME; return 2; }
int three(int a, int b) { SAME; return 3; }
