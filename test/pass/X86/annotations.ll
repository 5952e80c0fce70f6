; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; The pass ignores tables of annotations whose structure differs from clang's.
; RUN: llc -load %pass -pass-remarks=patchbay -filetype=null %s 2>&1 | FileCheck %s
; CHECK: f: slot and site
target triple = "x86_64-unknown-linux-gnu"
@llvm.global.annotations = appending global [1 x ptr] [ptr @f], section "llvm.metadata"
define void @f() { ret void }
