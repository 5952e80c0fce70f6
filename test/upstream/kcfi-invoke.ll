; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; llvm-pass/upstream/kcfi-invoke.md
; XFAIL: *
; RUN: opt -S -passes=kcfi %s | FileCheck %s

target triple = "powerpc64le-unknown-linux-gnu"

declare i32 @__gxx_personality_v0(...)

; CHECK-LABEL: define void @f(
; CHECK:         %[[#GEP:]] = getelementptr inbounds i32, ptr %p, i32 -1
; CHECK:         load i32, ptr %[[#GEP]]
; CHECK:         icmp ne i32 %{{.*}}, 12345678
; CHECK:         call void @llvm.debugtrap()
; CHECK:         invoke void %p()
; CHECK-NOT:       [ "kcfi"
define void @f(ptr %p) personality ptr @__gxx_personality_v0 {
  invoke void %p() [ "kcfi"(i32 12345678) ] to label %done unwind label %pad
done:
  ret void
pad:
  %exception = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %exception
}

!llvm.module.flags = !{!0}
!0 = !{i32 4, !"kcfi", i32 1}
