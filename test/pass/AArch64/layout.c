// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slot, pad, hash and site in every combination of kCFI and landing pads.
// RUN: %clang_pass --target=aarch64-linux-gnu -O2 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: %clang_pass --target=aarch64-linux-gnu -O2 -fsanitize=kcfi -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefixes=CHECK,KCFI
// RUN: %clang_pass --target=aarch64-linux-gnu -O2 -fsanitize=kcfi -mbranch-protection=bti -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefixes=CHECK,KCFI,BTI
// The site needs the return address before it is signed, so the site precedes paciasp,
// which then is not at the entry and is no landing pad. The pass adds bti c only if the
// entry needs a landing pad.
// RUN: %clang_pass --target=aarch64-linux-gnu -O2 -mbranch-protection=pac-ret -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefixes=CHECK,PLAIN,PAC
// RUN: %clang_pass --target=aarch64-linux-gnu -O2 -fsanitize=kcfi -mbranch-protection=standard -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefixes=CHECK,KCFI,BTI,PAC
// RUN: %clang_pass --target=aarch64-linux-gnu -O2 -fsanitize=kcfi -mbranch-protection=pac-ret+leaf+b-key+bti -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefixes=CHECK,KCFI,BTI,BKEY
// The shadow call stack's push also follows the site.
// RUN: %clang_pass --target=aarch64-linux-gnu -O2 -fsanitize=kcfi,shadow-call-stack -ffixed-x18 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefixes=CHECK,KCFI,SCS
// Without optimization, the prologue follows the site.
// RUN: %clang_pass --target=aarch64-linux-gnu -O0 -fsanitize=kcfi -mbranch-protection=standard -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefixes=CHECK,KCFI,BTI

int other(int);
__attribute__((noinline, section(".text.internal"))) static int internal(int a) { return other(a) + 1; }
int (*pointer)(int) = internal;

int external(int a) { return other(a) + 1; }

// CHECK: section .text:
// objdump omits the eight zero bytes of the slot.
// CHECK:       ...
// CHECK-NEXT:     8: c0 03 5f d6 .word 0xd65f03c0
// PLAIN-NEXT:     c: c0 03 5f d6 .word 0xd65f03c0
// KCFI-NEXT:      c: 94 07 05 00 .word 0x00050794
// CHECK-EMPTY:
// CHECK-NEXT: {{.*}} <external>:
// BTI-NEXT:       d503245f bti c
// CHECK-NEXT:     aa1e03e9 mov x9, x30
// CHECK-NEXT:     d503201f nop
// PAC-NEXT:       paciasp
// BKEY-NEXT:      pacibsp
// SCS-NEXT:       str x30, [x18], #0x8
// CHECK:       ret

// Functions that are local to this object have the same layout.
// CHECK:      section .text.internal:
// CHECK:      c0 03 5f d6 .word 0xd65f03c0
// PLAIN-NEXT: c0 03 5f d6 .word 0xd65f03c0
// KCFI-NEXT:  94 07 05 00 .word 0x00050794
// CHECK:      <internal>:
// BTI-NEXT:   bti c
// CHECK-NEXT: mov x9, x30
// CHECK-NEXT: nop
// PAC-NEXT:   paciasp
// BKEY-NEXT:  pacibsp
