# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## Callers without a TOC pointer (POWER10) use the thunk's second entry, which sets up
## r2 for a function that needs r2, without an indirect branch.

# RUN: rm -rf %t && split-file %s %t && cd %t
# RUN: llvm-mc -filetype=obj -triple=powerpc64le a.s -o a.o
# RUN: llvm-mc -filetype=obj -triple=powerpc64le toc.s -o toc.o
# RUN: llvm-mc -filetype=obj -triple=powerpc64le lib.s -o lib.o
# RUN: %ld.lld -shared lib.o -o lib.so
# RUN: %ld.lld --static-calls a.o toc.o lib.so -o exe
# RUN: llvm-objdump -d --mcpu=pwr10 --no-show-raw-insn exe | FileCheck %s
# RUN: llvm-readelf -s exe | FileCheck %s --check-prefix=SYM
# RUN: %ld.lld --static-calls -T a.lds a.o toc.o lib.o -o placed
# RUN: llvm-objdump -s --section=.static_call_tramp_key placed | FileCheck %s --check-prefix=FLAGS
# RUN: %ld.lld --static-calls -pie a.o toc.o lib.so -o pie
# RUN: llvm-objdump -d --mcpu=pwr10 --no-show-raw-insn pie | FileCheck %s

## Callers branch directly to the thunk. Callers with a TOC pointer use the first
## entry.
# CHECK-LABEL: <_start>:
# CHECK-NEXT:    bl {{.*}} <__notoc__SCT__toc>
# CHECK-NEXT:    bl {{.*}} <__notoc__SCT__leaf>
# CHECK-NEXT:    bl {{.*}} <__notoc__SCT__pcrel>
# CHECK-NEXT:    bl {{.*}} <__notoc__SCT__imported>
# CHECK-NEXT:    bl {{.*}} <__notoc__SCT__key>
# CHECK-NEXT:    b {{.*}} <__notoc__SCT__null>
# CHECK-LABEL: <toc_caller>:
# CHECK:         bl {{.*}} <__SCT__toc>
# CHECK-NEXT:    ld 2, 24(1)
# CHECK-NOT:   gep_setup

# CHECK-LABEL: <__SCT__toc>:
# CHECK-NEXT:    std 2, 24(1)
# CHECK-NEXT:    b {{.*}} <toc+0x8>
# CHECK-LABEL: <__notoc__SCT__toc>:
# CHECK-NEXT:    b {{.*}} <__notoc__SCT__toc+0x18>
# CHECK-NEXT:    pld 12, {{.*}}(0), 1
# CHECK-NEXT:    mtctr 12
# CHECK-NEXT:    bctr
# CHECK-NEXT:    trap
# CHECK-NEXT:    paddi 2, 0, {{.*}}, 1
# CHECK-NEXT:    b {{.*}} <toc+0x8>
# CHECK-LABEL: <__notoc__SCT__leaf>:
# CHECK-NEXT:    b {{.*}} <leaf>
# CHECK-LABEL: <__notoc__SCT__pcrel>:
# CHECK-NEXT:    b {{.*}} <pcrel>
# CHECK-LABEL: <__notoc__SCT__imported>:
# CHECK-NEXT:    nop
# CHECK-NEXT:    pld 12, {{.*}}(0), 1
# CHECK-NEXT:    mtctr 12
# CHECK-NEXT:    bctr
# CHECK-LABEL: <__notoc__SCT__key>:
# CHECK-NEXT:    nop
# CHECK-NEXT:    pld 12, {{.*}}(0), 1
# CHECK-NEXT:    ld 12, 0(12)
# CHECK-NEXT:    mtctr 12
# CHECK-NEXT:    bctr
# CHECK-LABEL: <__notoc__SCT__null>:
# CHECK-NEXT:    b {{.*}} <__SCT__null+0x2c>
## Only callers with a TOC pointer call the last thunk, so it has no second entry.
# CHECK-LABEL: <__SCT__only>:
# CHECK-NOT:     pld

# SYM-DAG: 84 FUNC LOCAL HIDDEN {{[0-9]+}} __SCT__toc{{$}}
# SYM-DAG: 48 FUNC LOCAL HIDDEN {{[0-9]+}} __SCT__only{{$}}

## Bit 1 of the offset to the key: keys at 0x20000, and 0x20078 for `only`, the
## seventh thunk.
# FLAGS: 12000 00e0ffff fedf0000
# FLAGS: 12030 a8e2ffff 44e00000

#--- a.lds
SECTIONS {
  .static_call.text 0x10000 : { *(.static_call.text) }
  .static_call_tramp_key 0x12000 : { *(.static_call_tramp_key) }
  .data 0x20000 : { *(.data) }
  .got 0x21000 : { *(.got) }
}
#--- a.s
.abiversion 2
.globl _start
_start:
  .localentry _start, 1
.irp name, toc, leaf, pcrel, imported, key
  bl __SCT__\name@notoc
.endr
  b __SCT__null@notoc
.globl pcrel
.hidden pcrel
.type pcrel,@function
pcrel:
  .localentry pcrel, 1
  blr

.data
.macro key name, func
.globl __SCK__\name
.hidden __SCK__\name
__SCK__\name:
  .quad \func, __SCT__\name, 0
.endm
.p2align 3
key toc, toc
key leaf, leaf
key pcrel, pcrel
key imported, imported
key null, 0
key only, leaf
#--- toc.s
.abiversion 2
.type toc_caller,@function
toc_caller:
  addis 2,12,.TOC.-toc_caller@ha
  addi 2,2,.TOC.-toc_caller@l
  .localentry toc_caller, .-toc_caller
  bl __SCT__toc
  nop
  bl __SCT__only
  nop
  blr
.globl toc
.hidden toc
.type toc,@function
toc:
  addis 2,12,.TOC.-toc@ha
  addi 2,2,.TOC.-toc@l
  .localentry toc, .-toc
  blr
.globl leaf
.hidden leaf
.type leaf,@function
leaf:
  blr
#--- lib.s
.abiversion 2
.globl imported
.type imported,@function
imported:
  blr
.data
.p2align 3
.globl __SCK__key
.protected __SCK__key
.type __SCK__key,@object
.size __SCK__key,24
__SCK__key:
  .zero 24
