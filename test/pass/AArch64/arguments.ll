; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Arguments that C cannot express. The record marks those that the pass does not know.
; RUN: llc -load %pass -filetype=obj %s -o %t.o
; RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s
target triple = "aarch64-unknown-linux-gnu"

; CHECK: {{^}}nested gp=1 fp=0 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
define void @nested(ptr nest %a, i64 %b) { ret void }
; CHECK: {{^}}three_words gp=3 fp=0 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
define void @three_words(i192 %a) { ret void }
; A tracer does not preserve results in more registers than C uses, so there are no exits.
; CHECK: {{^}}three gp=0 fp=0 stack=0 ret=other {{[^ ]+ [^ ]+ [^ ]+}} unknown-args{{$}}
define {i64, i64, i64} @three() { ret {i64, i64, i64} zeroinitializer }
; CHECK: {{^}}four_vectors gp=0 fp=0 stack=0 ret=other {{[^ ]+ [^ ]+ [^ ]+$}}
define [4 x <4 x float>] @four_vectors() { ret [4 x <4 x float>] zeroinitializer }
; CHECK: {{^}}five_vectors gp=0 fp=0 stack=0 ret=other {{[^ ]+ [^ ]+ [^ ]+}} unknown-args{{$}}
define [5 x <4 x float>] @five_vectors() { ret [5 x <4 x float>] zeroinitializer }
