; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; The site moves the code after it, which changes the padding before aligned blocks.
; Branches that LLVM has found to be in reach stay in reach.
; RUN: llc -load %pass -mtriple=aarch64-linux-gnu -align-loops=32 -align-all-functions=5 -filetype=obj %s -o %t.o
; RUN: llvm-objdump -d %t.o | FileCheck %s
; RUN: sed s/32728/32000/ %s > %t.near.ll
; RUN: llc -load %pass -mtriple=aarch64-linux-gnu -align-loops=32 -align-all-functions=5 -filetype=obj %t.near.ll -o %t.near.o
; RUN: sed s/32728/3200/ %s > %t.short.ll
; RUN: llc -load %pass -mtriple=aarch64-linux-gnu -align-loops=32 -align-all-functions=5 -filetype=obj %t.short.ll -o %t.short.o
; RUN: llvm-objdump -d %t.short.o | FileCheck %s --check-prefix=SHORT

; CHECK-LABEL: <f>:
; CHECK-NEXT: mov x9, x30
; CHECK-COUNT-7: nop
; CHECK-NEXT: tbz

; If no branch of a function can get out of reach, the pass adds only the site.
; SHORT-LABEL: <f>:
; SHORT-NEXT: mov x9, x30
; SHORT-NEXT: nop
; SHORT-NEXT: tbz
define i32 @f(i32 %a) {
entry:
  %odd = and i32 %a, 1
  %even = icmp eq i32 %odd, 0
  br i1 %even, label %far, label %near
near:
  call void asm sideeffect ".space 32728", ""()
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
