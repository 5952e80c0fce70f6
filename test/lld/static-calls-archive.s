# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## A static call extracts the archive member that defines its key, although the caller
## does not refer to the key. Static calls in that member are processed, too.

# RUN: rm -rf %t && split-file %s %t && cd %t
# RUN: llvm-mc -filetype=obj -triple=x86_64 a.s -o a.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 b.s -o b.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 c.s -o c.o
# RUN: llvm-ar rc lib.a c.o b.o
# RUN: %ld.lld --static-calls --why-extract=- a.o lib.a -o a | FileCheck %s --check-prefix=WHY
# RUN: llvm-nm a | FileCheck %s

# WHY:      reference extracted symbol
# WHY-NEXT: --static-calls lib.a(b.o) __SCK__b
# WHY-NEXT: --static-calls lib.a(c.o) __SCK__c
# CHECK-DAG: D __SCK__b
# CHECK-DAG: t __SCT__b
# CHECK-DAG: D __SCK__c
# CHECK-DAG: t __SCT__c

#--- a.s
.globl _start
_start:
  call __SCT__b

#--- b.s
b:
  jmp __SCT__c
.data
.globl __SCK__b
.p2align 3
__SCK__b:
  .quad b, __SCT__b, 0

#--- c.s
c:
  ret
.data
.globl __SCK__c
.p2align 3
__SCK__c:
  .quad c, __SCT__c, 0
