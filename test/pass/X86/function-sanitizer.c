// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -fsanitize=function puts two words directly before the entry, so the pad precedes the
// slot, and the site's jump leads to that pad.
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -fsanitize=function -fsanitize-trap=function -S %s -o - | FileCheck %s
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -fsanitize=function -fsanitize-trap=function -falign-functions=64 -fcf-protection=branch -S %s -o - | FileCheck %s --check-prefix=ALIGNED

// Instrumented and plain objects check each other.
// RUN: %if host-x86_64 %{ %clang_pass -O2 -fsanitize=function -fsanitize-trap=function -DCALLER -c %s -o %t.caller.o %}
// RUN: %if host-x86_64 %{ %clang -O2 -fsanitize=function -fsanitize-trap=function -c %s -o %t.plain.o %}
// RUN: %if host-x86_64 %{ %clang_pass -O2 -fsanitize=function -fsanitize-trap=function -c %s -o %t.slot.o %}
// RUN: %if host-x86_64 %{ %clang %t.caller.o %t.plain.o -o %t.1 && %t.1 %}
// RUN: %if host-x86_64 %{ %clang %t.caller.o %t.slot.o -o %t.2 && %t.2 %}
// RUN: %if host-x86_64 %{ %python %S/../Inputs/expect-signal.py SIGILL %t.1 wrong %}
// RUN: %if host-x86_64 %{ %python %S/../Inputs/expect-signal.py SIGILL %t.2 wrong %}

#ifndef CALLER
// CHECK: .type callee,@function
// CHECK-NEXT: .asciz "{{((\\314){8}(\\303){8}(\\000){7})}}"
// CHECK-NEXT: .long {{.*}} # 0xc105cafe
// CHECK-NEXT: .long
// CHECK-NEXT: callee:
// CHECK: testl $__patchbay_stubs_2+0-(.L{{.*}}+5), %eax
// CHECK-NEXT: .byte 114
// CHECK-NEXT: .byte -31

// The prefix has 56 bytes of ours and 8 bytes of LLVM's.
// ALIGNED: .p2align 6
// ALIGNED: .asciz "{{((\\314){40}(\\303){8}(\\000){7})}}"
// ALIGNED-NEXT: .long
// ALIGNED-NEXT: .long
// ALIGNED-NEXT: callee:
// ALIGNED: endbr64
// ALIGNED: .byte 114
// ALIGNED-NEXT: .byte -35
int callee(int a) { return a + 1; }
#else
int callee(int a);
int main(int argc, char **argv) {
  if (argc > 1)
    return ((int (*)(long))(void *)callee)(1);
  int (*volatile right)(int) = callee;
  return right(1) != 2;
}
#endif
