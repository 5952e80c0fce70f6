; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; In user mode the pass prevents tail calls of C library functions that look up their
; caller's module. Other tail calls and guaranteed ones stay. In kernel mode and if the
; pass is disabled, all tail calls stay.
; RUN: llc -mtriple=x86_64-linux-gnu -load %pass %s -o - | FileCheck %s -DCALL=callq -DJUMP=jmp
; RUN: llc -mtriple=aarch64-linux-gnu -load %pass %s -o - | FileCheck %s -DCALL=bl -DJUMP=b
; RUN: sed "/^define.*@must/,/^}/d" %s | llc -mtriple=powerpc64le-linux-gnu -load %pass -o - | FileCheck %s --check-prefix=CALLS -DCALL=bl
; RUN: llc -mtriple=riscv64-linux-gnu -load %pass %s -o - | FileCheck %s -DCALL=call -DJUMP=tail
; RUN: llc -mtriple=x86_64-linux-gnu -load %pass -patchbay-disable %s -o - | FileCheck %s --check-prefix=PLAIN
; RUN: llc -mtriple=x86_64-linux-gnu -load %pass -patchbay-mode=kernel %s -o - | FileCheck %s --check-prefix=PLAIN

; CHECK-LABEL: {{^}}next:
; CHECK: [[CALL]] dlsym
; CALLS-LABEL: {{^}}next:
; CALLS: [[CALL]] dlsym
; PLAIN-LABEL: {{^}}next:
; PLAIN: jmp dlsym
define ptr @next(ptr %name) {
  %found = tail call ptr @dlsym(ptr inttoptr (i64 -1 to ptr), ptr %name)
  ret ptr %found
}
; CHECK-LABEL: {{^}}load:
; CHECK: [[CALL]] dlopen
; CALLS-LABEL: {{^}}load:
; CALLS: [[CALL]] dlopen
; PLAIN-LABEL: {{^}}load:
; PLAIN: jmp dlopen
define ptr @load(ptr %name, i32 %flags) {
  %found = tail call ptr @dlopen(ptr %name, i32 %flags)
  ret ptr %found
}
; CHECK-LABEL: {{^}}must:
; CHECK: [[JUMP]] dlopen
define ptr @must(ptr %name, i32 %flags) {
  %found = musttail call ptr @dlopen(ptr %name, i32 %flags)
  ret ptr %found
}
; CHECK-LABEL: {{^}}other:
; CHECK: [[JUMP]] puts
define i32 @other(ptr %text) {
  %result = tail call i32 @puts(ptr %text)
  ret i32 %result
}
declare ptr @dlsym(ptr, ptr)
declare ptr @dlopen(ptr, i32)
declare i32 @puts(ptr)
