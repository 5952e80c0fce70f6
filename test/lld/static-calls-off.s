# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## Without --static-calls, or without static calls, the output equals stock LLD's, byte
## by byte.

# RUN: rm -rf %t && split-file %s %t && cd %t
# RUN: llvm-mc -filetype=obj -triple=x86_64 a.s -o a.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 thunk.s -o thunk.o

# RUN: %stock_lld -O2 a.o thunk.o -o exe.stock
# RUN: %ld.lld -O2 a.o thunk.o -o exe
# RUN: cmp exe exe.stock
# RUN: %ld.lld -O2 --static-calls --no-static-calls a.o thunk.o -o exe
# RUN: cmp exe exe.stock
# RUN: %stock_lld -shared --build-id --gc-sections -Map=map.stock a.o thunk.o -o dso.stock
# RUN: %ld.lld -shared --build-id --gc-sections -Map=map a.o thunk.o -o dso
# RUN: cmp dso dso.stock
# RUN: cmp map map.stock
# RUN: %stock_lld -r a.o thunk.o -o rel.stock
# RUN: %ld.lld -r a.o thunk.o -o rel
# RUN: cmp rel rel.stock

# RUN: llvm-mc -filetype=obj -triple=x86_64 none.s -o none.o
# RUN: %stock_lld -pie none.o -o none.stock
# RUN: %ld.lld -pie --static-calls none.o -o none
# RUN: cmp none none.stock
# RUN: llvm-mc -filetype=obj -triple=powerpc64le none-ppc64.s -o none-ppc64.o
# RUN: %stock_lld -pie none-ppc64.o -o none.stock
# RUN: %ld.lld -pie --static-calls none-ppc64.o -o none
# RUN: cmp none none.stock
# RUN: %ld.lld -pie --static-calls-kernel none-ppc64.o -o none
# RUN: cmp none none.stock

## A call without a thunk is an undefined symbol.
# RUN: not %ld.lld a.o -o /dev/null 2>&1 | FileCheck %s
# CHECK: error: undefined symbol: __SCT__x

#--- a.s
.section .note.patchbay,"a",@note
.long 9, 8, 1
.asciz "Patchbay"
.p2align 2
.long 2, 1
.text
.globl _start, target
_start:
  call __SCT__x
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
__SCT__x:
  jmp target

#--- none.s
.globl _start
_start:
  ret
#--- none-ppc64.s
.globl _start
_start:
  blr
