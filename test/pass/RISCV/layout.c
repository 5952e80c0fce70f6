// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slot, pad, hash and site in every combination of kCFI, landing pads and linker
// relaxation. The site's instructions are never compressed.
// RUN: %clang_pass --target=riscv64-linux-gnu -O2 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: %clang_pass --target=riscv64-linux-gnu -O2 -fsanitize=kcfi -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefixes=CHECK,KCFI
// RUN: %clang_pass --target=riscv64-linux-gnu -O2 -fsanitize=kcfi -mno-relax -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefixes=CHECK,KCFI
// RUN: %clang_pass --target=riscv64-linux-gnu -march=rv64g -O2 -fsanitize=kcfi -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefixes=CHECK,KCFI
// RUN: %clang_pass --target=riscv64-linux-gnu -march=rv64gc_zicfilp1p0 -menable-experimental-extensions -mcf-branch-label-scheme=unlabeled -fcf-protection=branch -O2 -fsanitize=kcfi -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefixes=CHECK,KCFI,LPAD
// Two shadow stacks: the push follows the site.
// RUN: %clang_pass --target=riscv64-linux-gnu -O2 -fsanitize=kcfi,shadow-call-stack -ffixed-x3 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefixes=CHECK,KCFI,SCS
// RUN: %clang_pass --target=riscv64-linux-gnu -march=rv64gc_zicfilp1p0_zicfiss1p0_zimop_zcmop -menable-experimental-extensions -mcf-branch-label-scheme=unlabeled -fcf-protection=full -O2 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefixes=CHECK,PLAIN,LPAD,ZICFISS
// A prologue that is a call also follows the site.
// RUN: %clang_pass --target=riscv64-linux-gnu -Oz -msave-restore -fsanitize=kcfi -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefixes=CHECK,KCFI
// RUN: %clang_pass --target=riscv64-linux-gnu -O0 -fsanitize=kcfi -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefixes=CHECK,KCFI

int other(int);
__attribute__((noinline, section(".text.internal"))) static int internal(int a) { return other(a) + 1; }
int (*pointer)(int) = internal;

int external(int a) { return other(a) + 1; }
// CHECK: section .text:
// objdump omits the eight zero bytes of the slot.
// CHECK:       ...
// CHECK-NEXT:     8: 67 80 00 00 .word 0x00008067
// PLAIN-NEXT:     c: 67 80 00 00 .word 0x00008067
// KCFI-NEXT:      c: 94 07 05 00 .word 0x00050794
// CHECK-EMPTY:
// CHECK-NEXT: {{.*}} <external>:
// LPAD-NEXT:      00000017 lpad 0x0
// CHECK-NEXT:     00000013 nop
// CHECK-NEXT:     00000013 nop
// SCS-NEXT:       addi gp, gp, 0x8
// ZICFISS-NEXT:   sspush ra
// CHECK-NOT:      nop
// CHECK:          {{jalr|call|ret}}

// Functions that are local to this object have the same layout.
// CHECK:      section .text.internal:
// CHECK:      67 80 00 00 .word 0x00008067
// PLAIN-NEXT: 67 80 00 00 .word 0x00008067
// KCFI-NEXT:  94 07 05 00 .word 0x00050794
// CHECK:      <internal>:
// LPAD-NEXT:  lpad 0x0
// CHECK-NEXT: 00000013 nop
// CHECK-NEXT: 00000013 nop
// CHECK-NOT:  nop
// CHECK:      {{jalr|call|ret}}
