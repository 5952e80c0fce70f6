# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## Errors only of ppc64: calls that cannot restore the TOC pointer.

# RUN: rm -rf %t && split-file %s %t && cd %t
# RUN: llvm-mc -filetype=obj -triple=powerpc64le key.s -o key.o
# RUN: llvm-mc -filetype=obj -triple=powerpc64le err.s -o err.o
# RUN: llvm-mc -filetype=obj -triple=powerpc64le call.s -o call.o
# RUN: llvm-mc -filetype=obj -triple=powerpc64le notoc-key.s -o notoc-key.o
# RUN: llvm-mc -filetype=obj -triple=powerpc64le far-key.s -o far-key.o
# RUN: llvm-mc -filetype=obj -triple=powerpc64le lib.s -o lib.o
# RUN: %ld.lld -shared lib.o -o lib.so

# RUN: not %ld.lld --static-calls err.o key.o -o err.out 2>&1 | FileCheck %s --implicit-check-not=error:
# CHECK: error: err.o:(.text+0x0): call to static call 'x' lacks nop, cannot restore the TOC pointer; declare it with DECLARE_STATIC_CALL
# CHECK: error: err.o:(.text+0x8): jump to static call 'x' cannot restore the TOC pointer; declare it with DECLARE_STATIC_CALL
# CHECK: error: err.o:(.text+0xc): branch into the middle of static call 'x'
# CHECK: error: err.o:(.text+0x14): relocation R_PPC64_REL14 refers to static call 'x', which can only be called and jumped to
# CHECK: error: err.o:(.text+0x18): relocation R_PPC64_TOC16_HA refers to static call 'x', which can only be called and jumped to
# CHECK: error: err.o:(.text+0x1c): call to static call 'x' lacks nop

## --static-calls-same-toc refuses targets that may have another TOC.
# RUN: %ld.lld --static-calls --static-calls-same-toc call.o key.o -o /dev/null
# RUN: not %ld.lld --static-calls --static-calls-same-toc call.o far-key.o lib.so -o far.out 2>&1 | FileCheck %s --check-prefix=FAR
# FAR: error: far-key.o:(.data+0x0): with --static-calls-same-toc static call 'x' cannot go to a function of another link unit
# RUN: not %ld.lld --static-calls --static-calls-same-toc call.o notoc-key.o -o notoc.out 2>&1 | FileCheck %s --check-prefix=NOTOC
# NOTOC: error: notoc-key.o:(.data+0x0): with --static-calls-same-toc static call 'x' cannot go to a function that has no TOC pointer
# RUN: not %ld.lld --static-calls --static-calls-same-toc call.o lib.so -o imported.out 2>&1 | FileCheck %s --check-prefix=IMPORTED
# IMPORTED: error: call.o: with --static-calls-same-toc static call 'x' has its key in another link unit

## ELFv1 has function descriptors, and ELFv2 has two entry points.
# RUN: llvm-mc -filetype=obj -triple=powerpc64le v1.s -o v1.o
# RUN: not %ld.lld --static-calls v1.o key.o -o v1.out 2>&1 | FileCheck %s --check-prefix=V1
# V1: error: v1.o: ABI version 1 is not supported
# RUN: not ls *.out

#--- err.s
.abiversion 2
  bl __SCT__x
  blr
  b __SCT__x
  bl __SCT__x+4
  nop
  beq __SCT__x
  addis 3,2,__SCT__x@toc@ha
  bl __SCT__x
#--- v1.s
.abiversion 1
  bl __SCT__x
  nop
#--- call.s
.abiversion 2
.globl _start
_start:
  bl __SCT__x
  nop
#--- key.s
.abiversion 2
.type f,@function
f:
  blr
.data
.globl __SCK__x
.hidden __SCK__x
.p2align 3
__SCK__x:
  .quad f, __SCT__x, 0
#--- notoc-key.s
.abiversion 2
.type f,@function
f:
  .localentry f, 1
  blr
.data
.globl __SCK__x
.hidden __SCK__x
.p2align 3
__SCK__x:
  .quad f, __SCT__x, 0
#--- far-key.s
.abiversion 2
.data
.globl __SCK__x
.hidden __SCK__x
.p2align 3
__SCK__x:
  .quad imported, __SCT__x, 0
#--- lib.s
.abiversion 2
.globl imported
.type imported,@function
imported:
  blr
.data
.p2align 3
.globl __SCK__x
.protected __SCK__x
.type __SCK__x,@object
.size __SCK__x,24
__SCK__x:
  .zero 24
