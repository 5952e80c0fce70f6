// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Under kCFI, files with and without slots call each other. A call of the wrong type traps,
// whether the caller or the callee is instrumented. (X86/mixed-kcfi.c tests this natively.)
// REQUIRES: qemu-aarch64, qemu-ppc64le, qemu-riscv64
// DEFINE: %{target} =
// DEFINE: %{run} =
// DEFINE: %{compile} = -O2 -fsanitize=kcfi %{target} -c %s
// DEFINE: %{objects} = %clang %{compile} -o %t.main.o -DMAIN && %clang %{compile} -o %t.other.o \
// DEFINE:   && %clang_pass %{compile} -o %t.pass.main.o -DMAIN && %clang_pass %{compile} -o %t.pass.other.o \
// DEFINE:   && %clang %{compile} -o %t.wrong.o -DMAIN -DWRONG && %clang_pass %{compile} -o %t.pass.wrong.o -DMAIN -DWRONG
// DEFINE: %{caller} =
// DEFINE: %{callee} =
// DEFINE: %{link} = %clang %{target} -Wno-unused-command-line-argument -fuse-ld=lld -static
// DEFINE: %{right} = %{link} %{caller}main.o %{callee}other.o -o %t && %{run} %t | FileCheck %s
// DEFINE: %{wrong} = %{link} %{caller}wrong.o %{callee}other.o -o %t && %python %S/Inputs/expect-signal.py SIGTRAP %{run} %t

// REDEFINE: %{target} = --target=aarch64-linux-gnu -mbranch-protection=standard
// REDEFINE: %{run} = qemu-aarch64
// RUN: %{objects}
// REDEFINE: %{caller} = %t.
// REDEFINE: %{callee} = %t.
// RUN: %{right}
// REDEFINE: %{caller} = %t.pass.
// RUN: %{right} && %{wrong}
// REDEFINE: %{callee} = %t.pass.
// RUN: %{right} && %{wrong}
// REDEFINE: %{caller} = %t.
// RUN: %{right} && %{wrong}

// REDEFINE: %{target} = --target=powerpc64le-linux-gnu
// REDEFINE: %{run} = qemu-ppc64le
// RUN: %{objects}
// REDEFINE: %{callee} = %t.
// RUN: %{right}
// REDEFINE: %{caller} = %t.pass.
// RUN: %{right} && %{wrong}
// REDEFINE: %{callee} = %t.pass.
// RUN: %{right} && %{wrong}
// REDEFINE: %{caller} = %t.
// RUN: %{right} && %{wrong}

// REDEFINE: %{target} = --target=riscv64-linux-gnu
// REDEFINE: %{run} = qemu-riscv64
// RUN: %{objects}
// REDEFINE: %{callee} = %t.
// RUN: %{right}
// REDEFINE: %{caller} = %t.pass.
// RUN: %{right} && %{wrong}
// REDEFINE: %{callee} = %t.pass.
// RUN: %{right} && %{wrong}
// REDEFINE: %{caller} = %t.
// RUN: %{right} && %{wrong}

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
