; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;; For LTO the thunk is an undefined function, and no code reads the key. LTO must keep
;; both the call and the key.

; RUN: llvm-as %s -o %t.full.bc
; RUN: %ld.lld --static-calls %t.full.bc -o %t.full
; RUN: llvm-objdump -d --no-show-raw-insn %t.full | FileCheck %s
; RUN: opt -module-summary %s -o %t.thin.bc
; RUN: %ld.lld --static-calls -pie --gc-sections %t.thin.bc -o %t.thin -Map=- | FileCheck %s --check-prefix=MAP
; RUN: llvm-objdump -d --no-show-raw-insn %t.thin | FileCheck %s

; MAP:      <internal>:(.static_call.text)
; MAP-NEXT: __SCT__x

; CHECK-LABEL: <_start>:
; CHECK:         callq {{.*}} <__SCT__x>
; CHECK-LABEL: <__SCT__x>:
; CHECK-NEXT:    jmp {{.*}} <target>

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%key = type { ptr, ptr, i64 }
@__SCK__x = hidden global %key { ptr @target, ptr @__SCT__x, i64 0 }, align 8

declare hidden i32 @__SCT__x(i32)

define internal i32 @target(i32 %a) noinline {
  %b = add i32 %a, 1
  ret i32 %b
}

define i32 @_start() {
  %a = call i32 @__SCT__x(i32 1)
  %b = add i32 %a, 2
  ret i32 %b
}
