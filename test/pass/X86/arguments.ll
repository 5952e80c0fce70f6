; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Arguments that C cannot express. The record marks those that the pass does not know.
; RUN: llc -load %pass -relocation-model=pic -filetype=obj %s -o %t.o
; RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

; A `nest` argument has its own register.
; CHECK: {{^}}nested gp=1 fp=0 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
define void @nested(ptr nest %a, i64 %b) { ret void }
; CHECK: {{^}}empty gp=1 fp=0 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
define void @empty({} %a, i64 %b) { ret void }
; A result that does not fit into registers is returned in memory, even without sret.
; CHECK: {{^}}demoted gp=2 fp=0 stack=0 ret=gp {{[^ ]+ [^ ]+ [^ ]+}} sret{{$}}
define {i64, i64, i64, i64} @demoted(i64 %a) { ret {i64, i64, i64, i64} zeroinitializer }
; A tracer does not preserve results in more registers than C uses, so there are no exits.
; CHECK: {{^}}three gp=0 fp=0 stack=0 ret=other {{[^ ]+ [^ ]+ [^ ]+}} unknown-args{{$}}
define {i64, i64, i64} @three() { ret {i64, i64, i64} zeroinitializer }
; CHECK: {{^}}mask gp=0 fp=1 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
define void @mask(<16 x i1> %a) "target-features"="+avx512f" { ret void }
; CHECK: {{^}}on_stack gp={{[0-9]+}} {{.*}} unknown-args{{$}}
define void @on_stack(ptr inalloca(i64) %a) { ret void }
; CHECK: {{^}}prepared gp={{[0-9]+}} {{.*}} unknown-args{{$}}
define void @prepared(ptr preallocated(i64) %a) { ret void }
; Without SSE the calling convention differs from the one that the counts describe.
; CHECK: {{^}}soft gp=1 fp=0 stack=0 ret=void {{[^ ]+ [^ ]+ [^ ]+$}}
define void @soft(float %a) "target-features"="-sse,-x87,+soft-float" "use-soft-float"="true" { ret void }
; A tracer of exits preserves two of the vector registers, and all x87 registers.
; CHECK: {{^}}wide gp=0 fp=0 stack=0 ret=other {{[^ ]+ [^ ]+ [^ ]+}} unknown-args{{$}}
define <16 x float> @wide() { ret <16 x float> zeroinitializer }
; CHECK: {{^}}two_halves gp=0 fp=0 stack=0 ret=other {{[^ ]+ [^ ]+ [^ ]+$}}
define <8 x float> @two_halves() { ret <8 x float> zeroinitializer }
; CHECK: {{^}}two_x87 gp=0 fp=0 stack=0 ret=other {{[^ ]+ [^ ]+ [^ ]+$}}
define {x86_fp80, x86_fp80} @two_x87() { ret {x86_fp80, x86_fp80} zeroinitializer }
