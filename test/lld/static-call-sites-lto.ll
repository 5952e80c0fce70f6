; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;; --static-call-sites with LTO: the linker's table contains keys that bitcode defines,
;; and lists calls in the code that LTO generates.

; RUN: llvm-as %s -o %t.full.bc
; RUN: opt -module-summary %s -o %t.thin.bc
; RUN: %ld.lld --static-call-sites --gc-sections %t.full.bc -o %t.full
; RUN: llvm-readelf -SsW %t.full | FileCheck %s
; RUN: %ld.lld --static-call-sites --gc-sections %t.thin.bc -o %t.thin
; RUN: llvm-readelf -SsW %t.thin | FileCheck %s
; CHECK: .static_call_sites PROGBITS {{[0-9a-f]+ [0-9a-f]+}} 000010 00 A
; CHECK: OBJECT {{.*}} __SCK__a

;; Kernels use -r for LTO.
; RUN: %ld.lld -r --static-call-sites %t.thin.bc -o %t.o
; RUN: llvm-readelf -rW %t.o | FileCheck %s --check-prefix=RELOCATABLE
; RELOCATABLE:      '.rela.static_call_sites' {{.*}} contains 4 entries
; RELOCATABLE:      R_AARCH64_PREL32 {{.*}} .text._start + [[#%x,]]
; RELOCATABLE-NEXT: R_AARCH64_PREL32 {{.*}} __SCK__a + 0
; RELOCATABLE-NEXT: R_AARCH64_PREL32 {{.*}} .text._start + [[#%x,]]
; RELOCATABLE-NEXT: R_AARCH64_PREL32 {{.*}} __SCK__a + 1

target datalayout = "e-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32"
target triple = "aarch64-linux-gnu"

module asm ".pushsection .static_call.text,\22ax\22"
module asm ".globl __SCT__a"
module asm ".type __SCT__a, @function"
module asm "__SCT__a:"
module asm "  hint 34"
module asm "  ret"
module asm ".popsection"

@__SCK__a = global { ptr, i64 } { ptr @_start, i64 1 }

declare void @__SCT__a()

define internal void @inlined() alwaysinline {
  call void @__SCT__a()
  ret void
}

define void @_start() {
  call void @inlined()
  call void @__SCT__a()
  ret void
}
