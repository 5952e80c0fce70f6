// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of a COMDAT function is in its group, so it goes when that goes.
// RUN: %clangxx_pass --target=aarch64-linux-gnu -O2 -c %s -o %t.1.o -DFIRST
// RUN: %clangxx_pass --target=aarch64-linux-gnu -O2 -c %s -o %t.2.o
// RUN: llvm-readelf -g %t.1.o | FileCheck %s --check-prefix=GROUP
// RUN: %shared %t.1.o %t.2.o -o %t.so
// RUN: %records %t.so | FileCheck %s --implicit-check-not=gp=

inline int __attribute__((noinline)) shared(int a) { return a * 7; }
#ifdef FIRST
int first(int a) { return shared(a); }
#else
int second(int a) { return shared(a); }
#endif

// GROUP:      [_Z6sharedi] contains
// GROUP:      .text._Z6sharedi
// GROUP-NEXT: patchbay_sites
// GROUP-NEXT: .relapatchbay_sites

// CHECK-DAG: _Z5firsti gp=1
// CHECK-DAG: _Z6secondi gp=1
// CHECK-DAG: _Z6sharedi gp=1
