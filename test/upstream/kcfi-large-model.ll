; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; llvm-pass/upstream/kcfi-large-model.md
; XFAIL: *
; RUN: llc -code-model=large < %s | FileCheck %s

target triple = "powerpc64le-unknown-linux-gnu"

; A caller's check reads the four bytes before the function's address.
; CHECK:      .long 12345678
; CHECK-NEXT: {{^}}f:
@variable = external global i32
define i32 @f() !kcfi_type !1 {
  %value = load i32, ptr @variable
  ret i32 %value
}

!llvm.module.flags = !{!0}
!0 = !{i32 4, !"kcfi", i32 1}
!1 = !{i32 12345678}
