; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; The site moves later code by a multiple of the largest alignment of a block. The
; site's NOPs have four bytes even with the C extension, in object files and in
; assembly.
; RUN: llc -load %pass -mtriple=riscv64-linux-gnu -mattr=+c -align-loops=32 -filetype=obj %s -o %t.o
; RUN: llvm-objdump -d %t.o | FileCheck %s
; RUN: llc -load %pass -mtriple=riscv64-linux-gnu -mattr=+c -align-loops=32 %s -o %t.s
; RUN: llvm-mc -triple=riscv64-linux-gnu -mattr=+c -filetype=obj %t.s -o %t.asm.o
; RUN: llvm-objdump -d %t.asm.o | FileCheck %s

; CHECK-LABEL: <f>:
; CHECK-COUNT-8: 00000013 nop
; CHECK-NEXT: andi
define i32 @f(i32 %a) {
entry:
  %odd = and i32 %a, 1
  %even = icmp eq i32 %odd, 0
  br i1 %even, label %far, label %near
near:
  call void asm sideeffect ".space 4040", ""()
  br label %loop
loop:
  %i = phi i32 [ %a, %near ], [ %j, %loop ]
  %j = add i32 %i, 3
  call void asm sideeffect "nop", ""()
  %again = icmp ult i32 %j, 1000
  br i1 %again, label %loop, label %far
far:
  call void asm sideeffect "nop", ""()
  ret i32 0
}
