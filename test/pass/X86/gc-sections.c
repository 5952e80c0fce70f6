// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linkers keep or drop a record with its function. A module without any record also
// works.
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -ffunction-sections -fno-pic -c %s -o %t.o
// RUN: %stock_lld --gc-sections -e live %t.o -o %t && %records %t | FileCheck %s --implicit-check-not=gp=
// RUN: %stock_lld --gc-sections -e 0 %t.o -o %t && %records %t | FileCheck %s --check-prefix=NONE

// Partial links keep records with their functions.
// RUN: %stock_lld -r %t.o -o %t.r.o
// RUN: llvm-readelf -SW %t.r.o | FileCheck %s --check-prefix=PARTIAL
// RUN: %stock_lld --gc-sections -e live %t.r.o -o %t && %records %t | FileCheck %s --implicit-check-not=gp=

// CHECK-DAG: {{^}}live gp=1
// CHECK-DAG: {{^}}also_live gp=1
__attribute__((noinline)) int also_live(int a) { return a * 3; }
int dead(int a) { return a; }
int live(int a) { return also_live(a); }

// NONE: no records
// PARTIAL:      .text.also_live
// PARTIAL:      patchbay_sites PROGBITS {{.*}} AL
// PARTIAL:      .text.dead
// PARTIAL:      patchbay_sites PROGBITS {{.*}} AL
// PARTIAL:      .text.live
// PARTIAL:      patchbay_sites PROGBITS {{.*}} AL
