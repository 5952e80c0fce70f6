; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; If a hash or its negative equals a landing pad, the hash is incremented, as LLVM does
; for the callers' checks. The record has the hash at the entry.
; RUN: llc -load %pass -relocation-model=pic -filetype=obj %s -o %t.o
; RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s
; RUN: llc -filetype=obj %s -o %t.stock.o
; RUN: llvm-objdump -d %t.stock.o | FileCheck %s --check-prefix=STOCK
target triple = "x86_64-unknown-linux-gnu"

; CHECK: endbr64 {{.*}} hash=0xfa1e0ff4
; STOCK: b8 f4 0f 1e fa
define void @endbr64() !kcfi_type !1 { ret void }
; CHECK: endbr32 {{.*}} hash=0xfb1e0ff4
; STOCK: b8 f4 0f 1e fb
define void @endbr32() !kcfi_type !2 { ret void }
; CHECK: negative {{.*}} hash=0x5e1f00e
; STOCK: b8 0e f0 e1 05
define void @negative() !kcfi_type !3 { ret void }
; CHECK: other {{.*}} hash=0xfa1e0ff2
; STOCK: b8 f2 0f 1e fa
define void @other() !kcfi_type !4 { ret void }

!llvm.module.flags = !{!0}
!0 = !{i32 4, !"kcfi", i32 1}
!1 = !{i32 -98693133} ; 0xfa1e0ff3
!2 = !{i32 -81915917} ; 0xfb1e0ff3
!3 = !{i32 98693133}  ; -0xfa1e0ff3
!4 = !{i32 -98693134}
