; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;; LTO must not know that this link defines the thunk. Otherwise LTO would omit the nop
;; after the call, and tail-call the thunk. Links of bitcode alone also need the TOC
;; base, although no object refers to it when LLD decides whether to define it.

; RUN: llvm-as %s -o %t.full.bc
; RUN: %ld.lld --static-calls -pie %t.full.bc -o %t.full
; RUN: llvm-objdump -d --no-show-raw-insn %t.full | FileCheck %s
; RUN: opt -module-summary %s -o %t.thin.bc
; RUN: %ld.lld --static-calls -shared %t.thin.bc -o %t.thin
; RUN: llvm-objdump -d --no-show-raw-insn %t.thin | FileCheck %s

; CHECK-LABEL: <_start>:
; CHECK:         bl {{.*}} <__SCT__x>
; CHECK-NEXT:    ld 2, 24(1)
; CHECK-LABEL: <__SCT__x>:
; CHECK-NEXT:    std 2, 24(1)
; CHECK-NEXT:    b {{.*}} <target+0x8>

target datalayout = "e-m:e-Fn32-i64:64-i128:128-n32:64-S128-v256:256:256-v512:512:512"
target triple = "powerpc64le-unknown-linux-gnu"

%key = type { ptr, ptr, i64 }
@__SCK__x = hidden global %key { ptr @target, ptr @__SCT__x, i64 0 }, align 8
@variable = global i32 1

declare i32 @__SCT__x(i32)

define internal i32 @target(i32 %a) noinline {
  %v = load volatile i32, ptr @variable
  %b = add i32 %a, %v
  ret i32 %b
}

define i32 @_start() {
  %a = tail call i32 @__SCT__x(i32 1)
  ret i32 %a
}

!llvm.module.flags = !{!0}
!0 = !{i32 8, !"PIC Level", i32 2}
