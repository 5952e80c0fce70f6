// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One descriptor per module is passed to the runtime before the first
// constructor and after the last destructor; without a runtime nothing happens.
// REQUIRES: qemu-aarch64
// DEFINE: %{target} = --target=aarch64-linux-gnu -fuse-ld=lld
// DEFINE: %{run} = qemu-aarch64 -L /usr/aarch64-linux-gnu
// RUN: %clang_pass %{target} -O2 -fPIC -c %s -o %t.o
// RUN: %clang_pass %{target} -O2 -fPIC -DSECOND -c %s -o %t.second.o
// RUN: %clang %{target} -O2 -fPIC -I %patchbay_include -c %S/../Inputs/runtime.c -o %t.runtime.o
// RUN: %clang %{target} -shared %t.runtime.o -o %t.runtime.so
// RUN: %clang %{target} -static %t.o %t.second.o -o %t
// RUN: %{run} %t | FileCheck %s --check-prefix=ALONE --implicit-check-not=register
// RUN: %clang %{target} -static %t.o %t.second.o %t.runtime.o -o %t && %{run} %t | FileCheck %s
// RUN: %clang %{target} -pie %t.o %t.second.o -o %t
// RUN: %{run} %t | FileCheck %s --check-prefix=ALONE --implicit-check-not=register
// RUN: %{run} -E LD_PRELOAD=%t.runtime.so %t | FileCheck %s

#include <stdio.h>

int second(int a);
#ifdef SECOND
int second(int a) { return a + 1; }
#else
static __attribute__((constructor)) void constructor(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  puts("constructor");
}
static __attribute__((destructor)) void destructor(void) { puts("destructor"); }
int main(void) { return printf("main %d\n", second(1)) < 0; }
#endif

// ALONE:      {{^}}constructor
// ALONE-NEXT: main 2
// ALONE-NEXT: destructor
// CHECK:      register abi=1 size=24 records=4
// CHECK-NEXT: {{^}}constructor
// CHECK-NEXT: main 2
// CHECK-NEXT: destructor
// CHECK-NEXT: unregister abi=1 size=24 records=4
// CHECK-NOT:  register
