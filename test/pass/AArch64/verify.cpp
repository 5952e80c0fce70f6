// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's verifier agrees with the machine code, with what else claims the entry
// of a function in between.
// RUN: %clangxx_pass --target=aarch64-linux-gnu -O0 -mllvm -verify-machineinstrs -c %s -o %t.o
// RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s
// RUN: %clangxx_pass --target=aarch64-linux-gnu -O2 -mllvm -verify-machineinstrs -fsanitize=kcfi -mbranch-protection=standard -c %s -o %t.o
// RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s --check-prefix=BTI
// RUN: %clangxx_pass --target=aarch64-linux-gnu -O2 -mllvm -verify-machineinstrs -fstack-protector-all -fstack-clash-protection -mharden-sls=all -c %s -o %t.o
// RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s
// RUN: %clangxx_pass --target=aarch64-linux-gnu -O2 -mllvm -verify-machineinstrs -pg -c %s -o %t.o
// RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s
// RUN: %clangxx_pass --target=aarch64-linux-gnu -O2 -mllvm -verify-machineinstrs -fxray-instrument -fxray-instruction-threshold=1 -c %s -o %t.o
// RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s
// RUN: %clangxx_pass --target=aarch64-linux-gnu -Oz -mllvm -verify-machineinstrs -mllvm -enable-machine-outliner=always -mbranch-protection=standard -c %s -o %t.o
// RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s --check-prefix=BTI

// CHECK-DAG: _Z6throwsi gp=1
// CHECK-DAG: _Z5loopsPVi gp=1
// CHECK-DAG: _Z3bigi gp=1
// BTI-DAG: _Z6throwsi gp=1 {{.*}} site=+4
// BTI-DAG: _Z5loopsPVi gp=1 {{.*}} site=+4
// BTI-DAG: _Z3bigi gp=1 {{.*}} site=+4
void use(char *);
int throws(int a) {
  try {
    if (a)
      throw a;
  } catch (int b) {
    return b;
  }
  return 0;
}
// The first block of the source is a loop.
void loops(volatile int *a) {
  for (;;)
    *a = 1;
}
void big(int a) {
  char buffer[70000];
  use(buffer);
}
