// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Under kCFI, files with and without slots call each other; a call of the wrong
// type traps, whoever is instrumented.
// REQUIRES: qemu-aarch64
// DEFINE: %{target} = --target=aarch64-linux-gnu -fuse-ld=lld -static
// DEFINE: %{cflags} = -O2 -fsanitize=kcfi -mbranch-protection=standard
// RUN: %clang %{target} %{cflags} -c %s -o %t.main.o -DMAIN
// RUN: %clang %{target} %{cflags} -c %s -o %t.other.o
// RUN: %clang_pass %{target} %{cflags} -c %s -o %t.pass.main.o -DMAIN
// RUN: %clang_pass %{target} %{cflags} -c %s -o %t.pass.other.o
// RUN: %clang %{target} %t.main.o %t.other.o -o %t && qemu-aarch64 %t | FileCheck %s
// RUN: %clang %{target} %t.pass.main.o %t.pass.other.o -o %t && qemu-aarch64 %t | FileCheck %s
// RUN: %clang %{target} %t.pass.main.o %t.other.o -o %t && qemu-aarch64 %t | FileCheck %s
// RUN: %clang %{target} %t.main.o %t.pass.other.o -o %t && qemu-aarch64 %t | FileCheck %s

// RUN: %clang %{target} %{cflags} -c %s -o %t.wrong.o -DMAIN -DWRONG
// RUN: %clang_pass %{target} %{cflags} -c %s -o %t.pass.wrong.o -DMAIN -DWRONG
// RUN: %clang %{target} %t.pass.wrong.o %t.pass.other.o -o %t
// RUN: %python %S/../Inputs/expect-signal.py SIGTRAP qemu-aarch64 %t
// RUN: %clang %{target} %t.pass.wrong.o %t.other.o -o %t
// RUN: %python %S/../Inputs/expect-signal.py SIGTRAP qemu-aarch64 %t
// RUN: %clang %{target} %t.wrong.o %t.pass.other.o -o %t
// RUN: %python %S/../Inputs/expect-signal.py SIGTRAP qemu-aarch64 %t

#ifdef MAIN
#include <stdio.h>
#ifdef WRONG
int other(long);
int (*volatile pointer)(long) = other;
#else
int other(int);
int (*volatile pointer)(int) = other;
#endif
int main(void) {
  // CHECK: {{^}}other 2{{$}}
  return printf("other %d\n", pointer(1)) < 0;
}
#else
int plus(int a);
int other(int a) { return plus(a) + 1; }
int plus(int a) { return a; }
#endif
