// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slot, pad and hash precede the global entry point; the site is at the local one.
// RUN: %clang_pass --target=powerpc64le-linux-gnu -O2 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefixes=CHECK,PLAIN,TOC
// RUN: %clang_pass --target=powerpc64le-linux-gnu -O2 -fsanitize=kcfi -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefixes=CHECK,KCFI,TOC
// Without optimization, the prologue follows the site.
// RUN: %clang_pass --target=powerpc64le-linux-gnu -O0 -fsanitize=kcfi -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefixes=CHECK,KCFI,TOC
// PC-relative code does not set up r2, so both entry points are the same.
// RUN: %clang_pass --target=powerpc64le-linux-gnu -mcpu=pwr10 -O2 -fsanitize=kcfi -c %s -o %t.o
// RUN: llvm-objdump -d --mcpu=pwr10 %t.o | FileCheck %s --check-prefixes=CHECK,KCFI
// RUN: llvm-readelf -s %t.o | FileCheck %s --check-prefix=PCREL
// -mrop-protect stores a hash of the return address on the stack, after the site.
// RUN: %clang_pass --target=powerpc64le-linux-gnu -mcpu=pwr10 -mrop-protect -O2 -fsanitize=kcfi -c %s -o %t.o
// RUN: llvm-objdump -d --mcpu=pwr10 %t.o | FileCheck %s --check-prefixes=CHECK,KCFI
// RUN: llvm-objdump -d --mcpu=pwr10 %t.o | FileCheck %s --check-prefix=ROP

int other(int);
extern int data;
__attribute__((noinline, section(".text.internal"))) static int internal(int a) { return other(a) + 1; }
int (*pointer)(int) = internal;

int external(int a) { return other(a) + data; }
// CHECK: section .text:
// objdump omits the eight zero bytes of the slot.
// CHECK:       ...
// CHECK-NEXT:     8: 20 00 80 4e blr
// PLAIN-NEXT:     c: 20 00 80 4e blr
// KCFI-NEXT:      c: 94 07 05 00 <unknown>
// CHECK-EMPTY:
// CHECK-NEXT: {{.*}} <external>:
// TOC-NEXT:       00 00 4c 3c addis 2, 12, 0
// TOC-NEXT:       00 00 42 38 addi 2, 2, 0
// CHECK-NEXT:     00 00 00 60 nop
// CHECK-NOT:      nop
// CHECK:          mflr 0
// ROP:            hashst 0,
// CHECK:          blr

// A function that does not need r2 has one entry point on all CPUs.
int leaf(int a) { return a; }
// CHECK:      20 00 80 4e blr
// PLAIN-NEXT: 20 00 80 4e blr
// KCFI-NEXT:  94 07 05 00 <unknown>
// CHECK-EMPTY:
// CHECK-NEXT: {{.*}} <leaf>:
// CHECK-NEXT: 00 00 00 60 nop
// CHECK-NOT:  nop
// CHECK:      blr

// Functions that are local to this object have the same layout.
// CHECK:      section .text.internal:
// CHECK:      20 00 80 4e blr
// PLAIN-NEXT: 20 00 80 4e blr
// KCFI-NEXT:  94 07 05 00 <unknown>
// CHECK:      <internal>:
// TOC-NEXT:   addis 2, 12, 0
// TOC-NEXT:   addi 2, 2, 0
// CHECK-NEXT: nop
// CHECK-NOT:  nop
// CHECK:      mflr 0

// PCREL: <other: 0x20>] {{.*}} external
