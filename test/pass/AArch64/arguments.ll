; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Arguments that C cannot express. What the pass cannot vouch for says so.
; RUN: llc -load %pass -filetype=obj %s -o %t.o
; RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s
target triple = "aarch64-unknown-linux-gnu"

; CHECK: {{^}}nested gp=1 fp=0 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
define void @nested(ptr nest %a, i64 %b) { ret void }
; CHECK: {{^}}three_words {{.*}} unknown-args{{$}}
define void @three_words(i192 %a) { ret void }
