# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## -O2 enables --branch-to-branch, which redirects a call of a thunk to the thunk's
## target. If the program defines the thunk, like the kernel, LLD redirects the call,
## and patching the thunk has no effect. LLD does not redirect calls of thunks that the
## linker makes.

# RUN: rm -rf %t && split-file %s %t && cd %t
# RUN: llvm-mc -filetype=obj -triple=x86_64 a.s -o a.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 thunk.s -o thunk.o

# RUN: %stock_lld -O2 a.o thunk.o -o stock
# RUN: llvm-objdump -d --no-show-raw-insn stock | FileCheck %s --check-prefix=STOCK
# RUN: %ld.lld -O2 --static-calls a.o -o ours
# RUN: llvm-objdump -d --no-show-raw-insn ours | FileCheck %s

# STOCK:      <_start>:
# STOCK-NEXT:   callq {{.*}} <target>
# STOCK-NEXT:   jmp {{.*}} <target>
# CHECK:      <_start>:
# CHECK-NEXT:   callq {{.*}} <__SCT__x>
# CHECK-NEXT:   jmp {{.*}} <__SCT__x>
# CHECK:      <__SCT__x>:
# CHECK-NEXT:   jmp {{.*}} <target>

#--- a.s
.globl _start, target
_start:
  call __SCT__x
  jmp __SCT__x
target:
  ret
.data
.globl __SCK__x
.p2align 3
__SCK__x:
  .quad target
  .quad __SCT__x, 0

#--- thunk.s
.section .static_call.text,"ax"
.globl __SCT__x
.p2align 4
__SCT__x:
  jmp target
  .byte 0x0f, 0xb9, 0xcc
