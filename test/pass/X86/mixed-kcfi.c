// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The slot is needed under kCFI to mix files with and without patchable functions.
// Stock clang's NOPs before the entry move the hash in the files that have NOPs, so a
// call between files of both types traps.
// REQUIRES: host-x86_64
// RUN: %clang -O2 -fsanitize=kcfi -c %s -o %t.main.o -DMAIN
// RUN: %clang -O2 -fsanitize=kcfi -c %s -o %t.other.o
// RUN: %clang -O2 -fsanitize=kcfi %t.main.o %t.other.o -o %t && %t | FileCheck %s

// RUN: %clang_pass -O2 -fsanitize=kcfi -c %s -o %t.pass.main.o -DMAIN
// RUN: %clang_pass -O2 -fsanitize=kcfi -c %s -o %t.pass.other.o
// RUN: %clang %t.pass.main.o %t.pass.other.o -o %t && %t | FileCheck %s
// RUN: %clang %t.pass.main.o %t.other.o -o %t && %t | FileCheck %s
// RUN: %clang %t.main.o %t.pass.other.o -o %t && %t | FileCheck %s

// RUN: %clang -O2 -fsanitize=kcfi -fpatchable-function-entry=21,16 -c %s -o %t.pfe.main.o -DMAIN
// RUN: %clang -O2 -fsanitize=kcfi -fpatchable-function-entry=21,16 -c %s -o %t.pfe.other.o
// RUN: %clang %t.pfe.main.o %t.pfe.other.o -o %t && %t | FileCheck %s
// RUN: %clang %t.pfe.main.o %t.other.o -o %t && %python %S/../Inputs/expect-signal.py SIGILL %t
// RUN: %clang %t.main.o %t.pfe.other.o -o %t && %python %S/../Inputs/expect-signal.py SIGILL %t

// A call of the wrong type traps, whether the caller or the callee is instrumented.
// RUN: %clang_pass -O2 -fsanitize=kcfi -c %s -o %t.pass.wrong.o -DMAIN -DWRONG
// RUN: %clang -O2 -fsanitize=kcfi -c %s -o %t.wrong.o -DMAIN -DWRONG
// RUN: %clang %t.pass.wrong.o %t.pass.other.o -o %t && %python %S/../Inputs/expect-signal.py SIGILL %t
// RUN: %clang %t.pass.wrong.o %t.other.o -o %t && %python %S/../Inputs/expect-signal.py SIGILL %t
// RUN: %clang %t.wrong.o %t.pass.other.o -o %t && %python %S/../Inputs/expect-signal.py SIGILL %t

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
int other(int a) { return a + 1; }
#endif
