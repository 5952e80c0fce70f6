; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; clang makes the table of annotations in one way, but other producers of IR may not.
; RUN: llc -load %pass -pass-remarks=patchbay -filetype=null %s 2>&1 | FileCheck %s
; CHECK: f: slot and site
target triple = "x86_64-unknown-linux-gnu"
@llvm.global.annotations = appending global [1 x ptr] [ptr @f], section "llvm.metadata"
define void @f() { ret void }
