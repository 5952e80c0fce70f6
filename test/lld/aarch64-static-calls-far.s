# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## A caller far from the thunk, and a thunk far from the function, with landing pads.
# REQUIRES: qemu-aarch64

# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: llvm-mc -filetype=obj -triple=aarch64 %s -o a.o
# RUN: echo 'SECTIONS { .text 0x10000 : { *(.text) } \
# RUN:   .static_call.text 0x10000000 : { *(.static_call.text) } \
# RUN:   .function 0x20000000 : { *(.function) } \
# RUN:   .data 0x20010000 : { *(.data) } }' > a.lds
# RUN: %ld.lld --static-calls -T a.lds -z force-bti a.o -o a 2>/dev/null
# RUN: qemu-aarch64 -cpu max a
# RUN: llvm-objdump -d --no-show-raw-insn a | FileCheck %s
# CHECK-LABEL: <_start>:
# CHECK:         bl {{.*}} <__AArch64{{.*}}__SCT__x>
# CHECK-LABEL: <__SCT__x>:
# CHECK-NEXT:    bti c
# CHECK-NEXT:    nop

.globl _start
_start:
  mov x0, #1
  bl __SCT__x
  sub x0, x0, #42
  mov x8, #93 // exit
  svc #0
.section .function,"ax"
.globl f
.type f,@function
f:
  bti c
  add x0, x0, #41
  ret
.data
.p2align 3
.globl __SCK__x
__SCK__x:
  .xword f, __SCT__x, 0
