# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## The output does not depend on the number of threads.

# RUN: llvm-mc -filetype=obj -triple=x86_64 %s -o %t.o
# RUN: %ld.lld --static-calls --threads=1 -pie %t.o -o %t.1
# RUN: %ld.lld --static-calls --threads=8 -pie %t.o -o %t.8
# RUN: cmp %t.1 %t.8
# RUN: llvm-nm %t.1 | grep -c __SCT__ | FileCheck %s
# CHECK: 1000

.altmacro
.macro one n
call __SCT__\n
.data
.globl __SCK__\n
.p2align 3
__SCK__\n:
  .quad _start
  .quad __SCT__\n, 0
.text
.endm
.globl _start
_start:
.set i, 0
.rept 1000
  one %i
  .set i, i+1
.endr
