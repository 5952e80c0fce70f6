// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slot, pad, hash and site in every combination of kCFI and landing pads.
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -fsanitize=kcfi -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefixes=CHECK,KCFI
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -fcf-protection=branch -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefixes=CHECK,PLAIN,IBT
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -fsanitize=kcfi -fcf-protection=branch -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefixes=CHECK,KCFI,IBT
// Without optimization, the prologue follows the site.
// RUN: %clang_pass --target=x86_64-linux-gnu -O0 -fsanitize=kcfi -fcf-protection=branch -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefixes=CHECK,KCFI,IBT,O0

__attribute__((noinline, section(".text.internal"))) static int internal(int a) { return a * a; }
int (*pointer)(int) = internal;

int external(int a) { return a + 1; }

// CHECK: section .text:
// objdump omits the eight zero bytes of the slot.
// CHECK:       ...
// CHECK:      {{.*}} <.external>:
// CHECK-NEXT:     8: c3 retq
// CHECK-NEXT:     9: c3 retq
// CHECK-NEXT:     a: c3 retq
// PLAIN-NEXT:     b: c3 retq
// PLAIN-NEXT:     c: c3 retq
// PLAIN-NEXT:     d: c3 retq
// PLAIN-NEXT:     e: c3 retq
// PLAIN-NEXT:     f: c3 retq
// KCFI-NEXT:      b: b8 94 07 05 00 movl $0x50794, %eax
// CHECK-EMPTY:
// CHECK-NEXT: {{.*}} <external>:
// IBT-NEXT:       f3 0f 1e fa endbr64
// CHECK-NEXT:     a9 00 00 00 00 testl $0x0, %eax
// CHECK-NEXT:     72 {{f1|ed}} jb 0x8 <
// O0-NEXT:        pushq %rbp
// CHECK:       retq

// Functions that are local to this object have the same layout.
// CHECK:      section .text.internal:
// CHECK:      c3 retq
// CHECK-NEXT: c3 retq
// CHECK-NEXT: c3 retq
// PLAIN-COUNT-5: c3 retq
// KCFI-NEXT:  b8 94 07 05 00 movl $0x50794, %eax
// CHECK:      <internal>:
// IBT-NEXT:   endbr64
// CHECK-NEXT: testl $0x0, %eax
// CHECK-NEXT: jb
