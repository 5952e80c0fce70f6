; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Arguments that C cannot express. The record marks those that the pass does not know.
; RUN: llc -load %pass -filetype=obj %s -o %t.o
; RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s
target triple = "powerpc64le-unknown-linux-gnu"

; CHECK: {{^}}nested gp=1 fp=0 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
define void @nested(ptr nest %a, i64 %b) { ret void }
; CHECK: {{^}}three_words gp=4 fp=0 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
define void @three_words(i192 %a, i64 %b) { ret void }
; CHECK: {{^}}demoted gp=2 fp=0 stack=0 ret=gp {{[^ ]+ [^ ]+ [^ ]+}} sret{{$}}
define {i64, i64, i64, i64, i64} @demoted(i64 %a) { ret {i64, i64, i64, i64, i64} zeroinitializer }
; CHECK: {{^}}aligned_value gp=8 fp=0 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
define void @aligned_value(i64 %a, ptr byval([3 x i64]) align 64 %b, i64 %c) { ret void }
; In the convention of internal functions, floating-point arguments use up no integer
; registers. If such arguments are on the stack, records cannot describe them.
; CHECK: {{^}}fast gp=1 fp=2 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
define fastcc void @fast(double %a, i64 %b, double %c) { ret void }
; CHECK: {{^}}fast_on_stack {{.*}} unknown-args{{$}}
define fastcc void @fast_on_stack([9 x i64] %a) { ret void }
; CHECK: {{^}}fast_doubles_on_stack {{.*}} unknown-args{{$}}
define fastcc void @fast_doubles_on_stack([14 x double] %a) { ret void }
; A tracer does not preserve results in more registers than C uses, so there are no exits.
; CHECK: {{^}}three gp=0 fp=0 stack=0 ret=other {{[^ ]+ [^ ]+ [^ ]+}} unknown-args{{$}}
define {i64, i64, i64} @three() { ret {i64, i64, i64} zeroinitializer }
; CHECK: {{^}}eight_doubles gp=0 fp=0 stack=0 ret=other {{[^ ]+ [^ ]+ [^ ]+$}}
define [8 x double] @eight_doubles() { ret [8 x double] zeroinitializer }
