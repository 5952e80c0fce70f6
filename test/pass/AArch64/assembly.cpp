// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assembly output, when assembled, has the same bytes as the object that clang writes
// directly.
// RUN: %clangxx_pass --target=aarch64-linux-gnu -O2 -fsanitize=kcfi -mbranch-protection=standard -fno-addrsig -c %s -o %t.o
// RUN: %clangxx_pass --target=aarch64-linux-gnu -O2 -fsanitize=kcfi -mbranch-protection=standard -fno-addrsig -S %s -o %t.s
// RUN: FileCheck %s --check-prefix=TEXT < %t.s
// RUN: %clang --target=aarch64-linux-gnu -c %t.s -o %t.again.o
// RUN: %shared %t.o -o %t.so
// RUN: %records --prefix %t.so > %t.txt
// RUN: FileCheck %s < %t.txt
// RUN: llvm-objcopy -O binary --only-section=.text %t.so %t.bin
// RUN: %shared %t.again.o -o %t.again.so && %records --prefix %t.again.so | diff %t.txt -
// RUN: llvm-objcopy -O binary --only-section=.text %t.again.so %t.again.bin && cmp %t.bin %t.again.bin

template <class T> __attribute__((noinline)) T twice(T a) { return a * 2; }
int function(int a, double b) { return twice(a) + twice(b); }
__attribute__((section("own"))) int own(int a) { return twice(a); }

// TEXT: mov x9, x30
// TEXT: adrp x16, :got:patchbay_module_register

// CHECK-DAG: _Z8functionid gp=1 fp=1
// CHECK-DAG: _Z5twiceIiET_S0_ gp=1 fp=0
// CHECK-DAG: _Z5twiceIdET_S0_ gp=0 fp=1
// CHECK-DAG: _Z3owni gp=1 fp=0
