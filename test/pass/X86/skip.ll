; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Functions without a slot that C cannot express.
; RUN: llc -load %pass -relocation-model=pic -pass-remarks-missed=patchbay -filetype=obj %s -o %t.o 2>&1 | FileCheck %s
; RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s --check-prefix=RECORD --implicit-check-not=gp=
target triple = "x86_64-unknown-linux-gnu"

; CHECK: remark: {{.*}} prefix: no slot: it already has prefix data
define void @prefix() prefix i64 7 { ret void }
; CHECK: remark: {{.*}} prologue: no slot: it has prologue data, which must be at the entry
define void @prologue() prologue i8 144 { ret void }
; CHECK: remark: {{.*}} ghc: no slot: its calling convention is not C's
define ghccc void @ghc() { ret void }
; CHECK: remark: {{.*}} anyreg: no slot: its calling convention is not C's
define anyregcc void @anyreg() { ret void }
; Callers keep values in registers that tracers do not save.
; CHECK: remark: {{.*}} cold: no slot: its calling convention is not C's
define coldcc void @cold(i32 %a) { ret void }
; CHECK: remark: {{.*}} tail: no slot: its calling convention is not C's
define tailcc void @tail() { ret void }
; CHECK: remark: {{.*}} hotpatch: no slot: hot patching claims its first instruction
define void @hotpatch() "patchable-function"="prologue-short-redirect" { ret void }

; CHECK: remark: {{.*}} resolver: no slot: it is an ifunc resolver, which runs before relocation is done
define internal ptr @resolver() { ret ptr @fast }
@alias = internal alias ptr (), ptr @resolver
@ifunc = ifunc void (i32), ptr @alias

; RECORD: {{^}}fast gp=1
define fastcc void @fast(i32 %a) { ret void }
; RECORD: {{^}}typed gp=0
define void @typed() !kcfi_type !3 { ret void }

!llvm.module.flags = !{!0}
!0 = !{i32 4, !"kcfi", i32 1}
!3 = !{i32 42}
