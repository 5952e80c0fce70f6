# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## The ppc64le thunk: its bytes, its first target, and the code of callers.

# RUN: rm -rf %t && split-file %s %t && cd %t
# RUN: llvm-mc -filetype=obj -triple=powerpc64le a.s -o a.o
# RUN: llvm-mc -filetype=obj -triple=powerpc64le lib.s -o lib.o
# RUN: llvm-mc -filetype=obj -triple=powerpc64 a.s -o be.o
# RUN: %ld.lld -shared lib.o -o lib.so

# RUN: %ld.lld --static-calls a.o lib.so -o exe
# RUN: llvm-objdump -d --no-show-raw-insn exe | FileCheck %s
# RUN: %ld.lld --static-calls -pie a.o lib.so -o pie
# RUN: llvm-objdump -d --no-show-raw-insn pie | FileCheck %s
# RUN: %ld.lld --static-calls -shared -Bsymbolic a.o lib.so -o dso
# RUN: llvm-objdump -d --no-show-raw-insn dso | FileCheck %s

## Callers restore the register that the thunk saves.
# CHECK-LABEL: <_start>:
# CHECK:         bl {{.*}} <__SCT__local>
# CHECK-NEXT:    ld 2, 24(1)
# CHECK-NEXT:    bl {{.*}} <__SCT__section>
# CHECK-NEXT:    ld 2, 24(1)
# CHECK-NEXT:    bl {{.*}} <__SCT__leaf>
# CHECK-NEXT:    ld 2, 24(1)

## The branch goes to the local entry point, 8 bytes after the global one.
# CHECK-LABEL: <__SCT__local>:
# CHECK-NEXT:    std 2, 24(1)
# CHECK-NEXT:    b {{.*}} <local+0x8>
# CHECK-NEXT:    addis 12, 2
# CHECK-NEXT:    ld 12, {{.*}}(12)
# CHECK-NEXT:    mtctr 12
# CHECK-NEXT:    bctr
# CHECK-NEXT:    trap
# CHECK-NEXT:    addis 2, 2, 0
# CHECK-NEXT:    addi 2, 2, 0
# CHECK-NEXT:    b
# CHECK-NEXT:    li 3, 0
# CHECK-NEXT:    blr
## The key refers to a section plus addend. The symbol there has two entry points.
# CHECK-LABEL: <__SCT__section>:
# CHECK-NEXT:    std 2, 24(1)
# CHECK-NEXT:    b {{.*}} <local+0x8>
# CHECK-LABEL: <__SCT__leaf>:
# CHECK-NEXT:    std 2, 24(1)
# CHECK-NEXT:    b {{.*}} <leaf>
## The target changes r2, so its callers restore r2.
# CHECK-LABEL: <__SCT__pcrel>:
# CHECK-NEXT:    std 2, 24(1)
# CHECK-NEXT:    b {{.*}} <pcrel>
## An address without a function symbol may be a global entry point.
# CHECK-LABEL: <__SCT__nameless>:
# CHECK-NEXT:    std 2, 24(1)
# CHECK-NEXT:    nop
## The target is a function of another link unit.
# CHECK-LABEL: <__SCT__imported>:
# CHECK-NEXT:    std 2, 24(1)
# CHECK-NEXT:    nop
# CHECK-NEXT:    addis 12, 2
# CHECK-NEXT:    ld 12, {{.*}}(12)
# CHECK-NEXT:    mtctr 12
# CHECK-NEXT:    bctr
## The key is in another link unit.
# CHECK-LABEL: <__SCT__key>:
# CHECK-NEXT:    std 2, 24(1)
# CHECK-NEXT:    nop
# CHECK-NEXT:    addis 12, 2
# CHECK-NEXT:    ld 12, {{.*}}(12)
# CHECK-NEXT:    ld 12, 0(12)
# CHECK-NEXT:    mtctr 12
# CHECK-NEXT:    bctr
# CHECK-LABEL: <__SCT__null>:
# CHECK-NEXT:    std 2, 24(1)
# CHECK-NEXT:    b {{.*}} <__SCT__null+0x2c>
# CHECK-LABEL: <__SCT__zero>:
# CHECK-NEXT:    std 2, 24(1)
# CHECK-NEXT:    b {{.*}} <__SCT__zero+0x28>

## The thunk's symbol has one entry point, and the note has the offset of the TOC base.
# RUN: llvm-readelf -s exe | FileCheck %s --check-prefix=SYM
# SYM: 48 FUNC LOCAL HIDDEN {{[0-9]+}} __SCT__local{{$}}

## With --static-calls-same-toc nothing saves or restores r2. A call goes through a
## pointer only if a branch does not reach the target.
# RUN: llvm-mc -filetype=obj -triple=powerpc64le --defsym SAME=1 a.s -o same.o
# RUN: %ld.lld --static-calls --static-calls-same-toc same.o -o same
# RUN: llvm-objdump -d --no-show-raw-insn same | FileCheck %s --check-prefix=SAME
# SAME-LABEL: <_start>:
# SAME:         bl {{.*}} <__SCT__local>
# SAME-NEXT:    nop
# SAME-LABEL: <__SCT__local>:
# SAME-NEXT:    b {{.*}} <local+0x8>

## A caller that reaches its thunk only through a stub of LLD restores r2, too.
# RUN: %ld.lld --static-calls -T long.lds a.o lib.o -o long
# RUN: llvm-objdump -d --no-show-raw-insn --section=.text long | FileCheck %s --check-prefix=LONG
# RUN: %ld.lld --static-calls -pie -T long.lds a.o lib.o -o long.pie
# RUN: llvm-objdump -d --no-show-raw-insn --section=.text long.pie | FileCheck %s --check-prefix=LONG
# LONG-LABEL: <_start>:
# LONG:         bl {{.*}} <__long_branch___SCT__local>
# LONG-NEXT:    ld 2, 24(1)

## The function is 32 MB and one instruction away.
# RUN: %ld.lld --static-calls -T near.lds a.o lib.o -o near
# RUN: llvm-objdump -d --no-show-raw-insn --section=.static_call.text near | FileCheck %s --check-prefix=NEAR
# RUN: %ld.lld --static-calls -T far.lds a.o lib.o -o far
# RUN: llvm-objdump -d --no-show-raw-insn --section=.static_call.text far | FileCheck %s --check-prefix=FAR
# NEAR-LABEL: <__SCT__local>:
# NEAR-NEXT:    std
# NEAR-NEXT:    b {{.*}} <local+0x8>
# FAR-LABEL: <__SCT__local>:
# FAR-NEXT:    std
# FAR-NEXT:    nop

## The addresses below fix the displacements.
# RUN: %ld.lld --static-calls -T a.lds a.o lib.o -o placed
# RUN: llvm-objdump -s --section=.static_call.text placed | FileCheck %s --check-prefix=BYTES
# RUN: llvm-objdump -s --section=.note.patchbay.static_calls placed | FileCheck %s --check-prefix=BASE
# BYTES:      10100 180041f8 58ffff4b ffff823d 50858ce9
# BYTES-NEXT: 10110 a603897d 2004804e 0800e07f 0000423c
# BYTES-NEXT: 10120 00004238 00000048 00006038 2000804e
## .TOC. is at 0x28000, the field at 0x1402c.
# BASE: 14020 {{.*}} d43f0100

# RUN: not %ld.lld --static-calls be.o -o be.out 2>&1 | FileCheck %s --check-prefix=BE
# BE: error: be.o: --static-calls does not support this target
# RUN: not ls *.out

## An ifunc's PLT entry has one entry point and uses r2, though the resolver has two. A
## target given by --defsym or with an addend may have a local entry point, but the
## linker does not know its address.
# RUN: llvm-mc -filetype=obj -triple=powerpc64le named.s -o named.o
# RUN: %ld.lld --static-calls -pie --defsym=alias=function named.o -o named
# RUN: llvm-objdump -d --no-show-raw-insn --mcpu=pwr10 named | FileCheck %s --check-prefix=NAMED
# NAMED-LABEL: <__SCT__ifunc>:
# NAMED-NEXT:    std 2, 24(1)
# NAMED-NEXT:    b 0x[[PLT:[0-9a-f]+]] <ifunc>
# NAMED:         <__notoc__SCT__ifunc>:
# NAMED-NEXT:    b {{.*}} <__notoc__SCT__ifunc+0x18>
# NAMED:         paddi 2, 0,
# NAMED-NEXT:    b 0x[[PLT]] <ifunc>
# NAMED-LABEL: <__SCT__alias>:
# NAMED-NEXT:    std 2, 24(1)
# NAMED-NEXT:    nop
# NAMED-LABEL: <__SCT__addend>:
# NAMED-NEXT:    std 2, 24(1)
# NAMED-NEXT:    nop
# NAMED:       [[PLT]] <ifunc>:

#--- a.lds
SECTIONS {
  .text 0x10000 : { *(.text) }
  .static_call.text 0x10100 : { *(.static_call.text) }
  .static_call_tramp_key 0x12000 : { *(.static_call_tramp_key) }
  .note.patchbay.static_calls 0x14000 : { *(.note.patchbay.static_calls) }
  .data 0x10550 : { *(.data) }
  .got 0x20000 : { *(.got) }
}
#--- long.lds
SECTIONS {
  .text 0x10000 : { *(.text) }
  .static_call.text 0x4000000 : { *(.static_call.text) }
}
#--- near.lds
SECTIONS {
  .static_call.text 0x10000000 : { *(.static_call.text) }
  .data 0x10010000 : { *(.data) }
  .got 0x10020000 : { *(.got) }
  .text 0x11ffffa4 : { *(.text) }
}
#--- far.lds
SECTIONS {
  .static_call.text 0x10000000 : { *(.static_call.text) }
  .data 0x10010000 : { *(.data) }
  .got 0x10020000 : { *(.got) }
  .text 0x11ffffa8 : { *(.text) }
}
#--- a.s
.abiversion 2
.globl _start
_start:
.Lstart:
  addis 2,12,.TOC.-.Lstart@ha
  addi 2,2,.TOC.-.Lstart@l
  .localentry _start, .-_start
.ifdef SAME
  bl __SCT__local
  nop
.else
.irp name, local, section, leaf, pcrel, nameless, imported, key, null, zero
  bl __SCT__\name
  nop
.endr
.endif

  .p2align 2
nameless:
  blr
.type local,@function
local:
  addis 2,12,.TOC.-local@ha
  addi 2,2,.TOC.-local@l
  .localentry local, .-local
  blr
.globl leaf
.hidden leaf
.type leaf,@function
leaf:
  blr
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
key local, local
.ifndef SAME
key section, .text + (local - .text)
key leaf, leaf
key pcrel, pcrel
key nameless, .text + (nameless - .text)
key imported, imported
key null, 0
key zero, __static_call_return0
.endif
#--- named.s
.abiversion 2
.macro two_entries name
\name:
  addis 2,12,.TOC.-\name@ha
  addi 2,2,.TOC.-\name@l
  .localentry \name, .-\name
  blr
.endm
.type ifunc,@gnu_indirect_function
.type function,@function
.globl ifunc, function, _start
.hidden ifunc, function
two_entries ifunc
two_entries function
_start:
.irp name, ifunc, alias, addend
  bl __SCT__\name
  nop
.endr
  bl __SCT__ifunc@notoc

.data
.p2align 3
.macro key name, func
.globl __SCK__\name
.hidden __SCK__\name
__SCK__\name:
  .quad \func, __SCT__\name, 0
.endm
key ifunc, ifunc
key alias, alias
key addend, function + 4
#--- lib.s
.abiversion 2
.globl imported, __static_call_return0
.type imported,@function
imported:
__static_call_return0:
  blr
.data
.p2align 3
.globl __SCK__key
.protected __SCK__key
.type __SCK__key,@object
.size __SCK__key,24
__SCK__key:
  .zero 24
