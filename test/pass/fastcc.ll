; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; On RISC-V fastcc, LLVM's convention for internal functions, has more argument
; registers than C. Trampolines preserve two of these registers, which C uses for the
; static chain. A function that uses another one has no site.
; RUN: llc -mtriple=riscv64-linux-gnu -mattr=+d -load %pass -pass-remarks=patchbay -pass-remarks-missed=patchbay -filetype=obj %s -o %t.o 2>&1 | FileCheck %s --check-prefixes=CHECK,RISCV
; RUN: llc -mtriple=powerpc64le-linux-gnu -load %pass -pass-remarks=patchbay -pass-remarks-missed=patchbay -filetype=obj %s -o %t.o 2>&1 | FileCheck %s --check-prefixes=CHECK,OTHER
; RUN: llc -mtriple=aarch64-linux-gnu -load %pass -pass-remarks=patchbay -pass-remarks-missed=patchbay -filetype=obj %s -o %t.o 2>&1 | FileCheck %s --check-prefixes=CHECK,OTHER
; RUN: llc -mtriple=x86_64-linux-gnu -load %pass -pass-remarks=patchbay -pass-remarks-missed=patchbay -filetype=obj %s -o %t.o 2>&1 | FileCheck %s --check-prefixes=CHECK,OTHER

; CHECK: remark: {{.*}} eight: slot and site
define internal fastcc i64 @eight(i64 %0, i64 %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6, i64 %7) { ret i64 %7 }
; CHECK: remark: {{.*}} nine: slot and site
define internal fastcc i64 @nine(i64 %0, i64 %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6, i64 %7, i64 %8) { ret i64 %8 }
; RISCV: remark: {{.*}} eleven: no slot: an argument is in a register that tracers do not keep
; OTHER: remark: {{.*}} eleven: slot and site
define internal fastcc i64 @eleven(i64 %0, i64 %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6, i64 %7, i64 %8, i64 %9, i64 %10) { ret i64 %10 }
; RISCV: remark: {{.*}} nine_doubles: no slot: an argument is in a register that tracers do not keep
; OTHER: remark: {{.*}} nine_doubles: slot and site
define internal fastcc double @nine_doubles(double %0, double %1, double %2, double %3, double %4, double %5, double %6, double %7, double %8) { ret double %8 }
; In C's convention the ninth argument is on the stack.
; CHECK: remark: {{.*}} c_nine: slot and site
define i64 @c_nine(i64 %0, i64 %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6, i64 %7, i64 %8) { ret i64 %8 }

@keep = global [4 x ptr] [ptr @eight, ptr @nine, ptr @eleven, ptr @nine_doubles]
