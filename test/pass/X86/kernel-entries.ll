; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; If LLVM's table lists a function without a slot, for whatever reason, that is an error.
; DEFINE: %{llc} = not llc -load %pass -patchbay-mode=kernel -pass-remarks-missed=patchbay %s -o %t.s
; RUN: %{llc} 2>&1 | FileCheck %s --check-prefixes=REASON,CHECK
; REASON: remark: {{.*}} foreign: no slot: it already has prefix data
; CHECK: error: patchbay: foreign: LLVM's table lists its entry, but it has no slot: it already has prefix data
target triple = "x86_64-unknown-linux-gnu"
define void @traced() "patchable-function-entry"="2" { ret void }
define void @foreign() "patchable-function-entry"="2" prefix i64 7 { ret void }
define void @none() prefix i64 7 { ret void }
