# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## A caller far from the thunk, and a thunk far from the function. The function runs and
## changes the TOC pointer. After the call the caller's TOC pointer is restored.
# REQUIRES: qemu-ppc64le

# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: llvm-mc -filetype=obj -triple=powerpc64le %s -o a.o
# RUN: echo 'SECTIONS { .text 0x10000 : { *(.text) } \
# RUN:   .static_call.text TRAMP : { *(.static_call.text) } \
# RUN:   .function 0x10010000 : { *(.function) } \
# RUN:   .data 0x10020000 : { *(.data) } .got 0x10030000 : { *(.got) } }' > a.lds

## The thunk is near its caller, near neither, or near the function.
# RUN: sed s/TRAMP/0x10100/ a.lds > caller.lds
# RUN: %ld.lld --static-calls -T caller.lds a.o -o caller
# RUN: qemu-ppc64le caller
# RUN: sed s/TRAMP/0x4000000/ a.lds > neither.lds
# RUN: %ld.lld --static-calls -T neither.lds a.o -o neither
# RUN: qemu-ppc64le neither
# RUN: sed s/TRAMP/0x10000000/ a.lds > function.lds
# RUN: %ld.lld --static-calls -T function.lds a.o -o function
# RUN: qemu-ppc64le function

.abiversion 2
.globl _start
.type _start,@function
_start:
  addis 2,12,.TOC.-_start@ha
  addi 2,2,.TOC.-_start@l
  .localentry _start,.-_start
  mr 31,2
  li 3,1
  bl __SCT__x
  nop
  cmpd 31,2
  bne 1f
  addi 3,3,-42
1:
  li 0,1 # exit
  sc
.section .function,"ax"
.globl f
.type f,@function
f:
  addis 2,12,.TOC.-f@ha
  addi 2,2,.TOC.-f@l
  .localentry f,.-f
  addi 3,3,41
  li 2,0
  blr
.data
.p2align 3
.globl __SCK__x
__SCK__x:
  .quad f, __SCT__x, 0
