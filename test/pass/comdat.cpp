// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of a COMDAT function is in its group, so linkers drop both together.
// DEFINE: %{target} =
// DEFINE: %{check} = %clangxx_pass --target=%{target} -O2 -c %s -o %t.1.o -DFIRST \
// DEFINE:   && %clangxx_pass --target=%{target} -O2 -c %s -o %t.2.o \
// DEFINE:   && llvm-readelf -g %t.1.o | FileCheck %s --check-prefix=GROUP \
// DEFINE:   && %shared %t.1.o %t.2.o -o %t.so \
// DEFINE:   && %records %t.so | FileCheck %s --implicit-check-not=gp=
// REDEFINE: %{target} = x86_64-linux-gnu
// RUN: %{check}
// REDEFINE: %{target} = aarch64-linux-gnu
// RUN: %{check}
// REDEFINE: %{target} = powerpc64le-linux-gnu
// RUN: %{check}
// REDEFINE: %{target} = riscv64-linux-gnu
// RUN: %{check}

inline int __attribute__((noinline)) shared(int a) { return a * 7; }
#ifdef FIRST
int first(int a) { return shared(a); }
#else
int second(int a) { return shared(a); }
#endif

// GROUP:      [_Z6sharedi] contains
// GROUP:      .text._Z6sharedi
// GROUP:      patchbay_sites
// GROUP-NEXT: .relapatchbay_sites

// CHECK-DAG: _Z5firsti gp=1
// CHECK-DAG: _Z6secondi gp=1
// CHECK-DAG: _Z6sharedi gp=1
