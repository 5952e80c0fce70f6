; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Arguments that C cannot express. The record marks those that the pass does not know.
; RUN: llc -mattr=+d -target-abi=lp64d -load %pass -relocation-model=pic -filetype=obj %s -o %t.o
; RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s
target triple = "riscv64-unknown-linux-gnu"

; CHECK: {{^}}nested gp=1 fp=0 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
define void @nested(ptr nest %a, i64 %b) { ret void }
; A number wider than two registers is passed by address.
; CHECK: {{^}}three_words gp=2 fp=0 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
define void @three_words(i192 %a, i64 %b) { ret void }
; Without vector registers, each element of a vector is passed as a number.
; CHECK: {{^}}four_floats gp=0 fp=5 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
define void @four_floats(<4 x float> %a, float %b) { ret void }
; CHECK: {{^}}vector {{.*}} unknown-args{{$}}
define void @vector(<4 x float> %a, float %b) "target-features"="+d,+v" { ret void }
; CHECK: {{^}}by_value gp=1 fp=0 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
define void @by_value(ptr byval([3 x i64]) %a) { ret void }
; In the convention of internal functions each part of an argument has a register.
; CHECK: {{^}}fast gp=5 fp=0 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
define fastcc void @fast(i192 %a, i128 %b) { ret void }
; A tracer does not preserve results in vector registers, so there are no exits.
; CHECK: {{^}}gives_vector gp=0 fp=0 stack=0 ret=other {{[^ ]+ [^ ]+ [^ ]+}} unknown-args{{$}}
define <4 x float> @gives_vector() "target-features"="+d,+v" { ret <4 x float> zeroinitializer }
; CHECK: {{^}}two_doubles gp=0 fp=0 stack=0 ret=fp {{[^ ]+ [^ ]+ [^ ]+$}}
define {double, double} @two_doubles() { ret {double, double} zeroinitializer }
