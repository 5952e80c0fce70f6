# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## The initial thunk jumps directly if the linker knows the target's address and the
## target is in this output. Otherwise it jumps indirectly.

# RUN: rm -rf %t && split-file %s %t && cd %t
# RUN: llvm-mc -filetype=obj -triple=x86_64 lib.s -o lib.o
# RUN: %ld.lld -shared lib.o -o lib.so
# RUN: llvm-mc -filetype=obj -triple=x86_64 a.s -o a.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 abs.s -o abs.o

# RUN: %ld.lld --static-calls a.o abs.o lib.so -o exe
# RUN: llvm-objdump -d --section=.static_call.text exe | FileCheck %s --check-prefixes=CHECK,EXE
# RUN: %ld.lld --static-calls -pie a.o abs.o lib.so -o pie
# RUN: llvm-objdump -d --section=.static_call.text pie | FileCheck %s --check-prefixes=CHECK,EXE
# RUN: %ld.lld --static-calls -shared a.o abs.o lib.so -o dso
# RUN: llvm-objdump -d --section=.static_call.text dso | FileCheck %s --check-prefixes=CHECK,DSO
# RUN: %ld.lld --static-calls -shared -Bsymbolic a.o abs.o lib.so -o sym
# RUN: llvm-objdump -d --section=.static_call.text sym | FileCheck %s --check-prefixes=CHECK,EXE
# RUN: %ld.lld --static-calls -pie -z ifunc-noplt -z notext a.o abs.o lib.so -o noplt
# RUN: llvm-objdump -d --section=.static_call.text noplt | FileCheck %s --check-prefix=NOPLT

# RUN: llvm-mc -filetype=obj -triple=x86_64 --defsym WEAK=1 a.s -o weak.o
# RUN: %ld.lld --static-calls weak.o abs.o lib.o -o static
# RUN: llvm-objdump -d --section=.static_call.text static | FileCheck %s --check-prefix=STATIC
## An undefined weak target stays undefined without a dynamic linker.
# STATIC-LABEL: <__SCT__weak>:
# STATIC-NEXT:   e9 0d 00 00 00

## A default-visibility function of a DSO can be preempted.
# CHECK-LABEL: <__SCT__global>:
# EXE-NEXT:      e9 {{.*}} <global>
# DSO-NEXT:      a9 00 00 00 00
# CHECK-LABEL: <__SCT__hidden>:
# CHECK-NEXT:    e9 {{.*}} <hidden>
## The key refers to a section plus addend.
# CHECK-LABEL: <__SCT__local>:
# CHECK-NEXT:    e9 {{.*}} <local>
# CHECK-LABEL: <__SCT__untyped>:
# CHECK-NEXT:    e9 {{.*}} <untyped>
# CHECK-LABEL: <__SCT__imported>:
# CHECK-NEXT:    a9 00 00 00 00
## If the key is null, the thunk goes to its own ret, at +18.
# CHECK-LABEL: <__SCT__null>:
# CHECK-NEXT:    e9 0d 00 00 00
# CHECK-LABEL: <__SCT__bss>:
# CHECK-NEXT:    e9 0d 00 00 00
## The thunk implements these two functions itself, wherever they are: xor and ret, at +16.
# CHECK-LABEL: <__SCT____static_call_return0>:
# CHECK-NEXT:    e9 0b 00 00 00
# CHECK-LABEL: <__SCT____static_call_nop>:
# CHECK-NEXT:    e9 0d 00 00 00
## Fixed addresses are not relative to the output's address.
# CHECK-LABEL: <__SCT__absolute>:
# CHECK-NEXT:    a9 00 00 00 00
# CHECK-LABEL: <__SCT__constant>:
# CHECK-NEXT:    a9 00 00 00 00
## The value of an ifunc is the address of its PLT entry.
# CHECK-LABEL: <__SCT__ifunc>:
# CHECK-NEXT:    e9
## Without a PLT entry, the thunk jumps indirectly.
# NOPLT-LABEL: <__SCT__ifunc>:
# NOPLT-NEXT:    a9 00 00 00 00
#--- lib.s
.globl imported, __static_call_return0, __static_call_nop
.type imported,@function
imported:
__static_call_return0:
__static_call_nop:
  ret

#--- abs.s
.globl absolute
absolute = 0x201000

#--- a.s
.weak weak
.hidden absolute
.globl _start, global
_start:
.irp name, global, hidden, local, untyped, imported, null, bss, __static_call_return0, __static_call_nop, absolute, constant, ifunc
  call __SCT__\name
.endr
.ifdef WEAK
  call __SCT__weak
.endif
.type global,@function
global:
  ret
.globl hidden
.hidden hidden
.type hidden,@function
hidden:
  ret
.globl untyped
.hidden untyped
untyped:
  ret
.type local,@function
local:
  ret
.globl ifunc
.hidden ifunc
.type ifunc,@gnu_indirect_function
ifunc:
  ret

.macro key name, func
.globl __SCK__\name
.hidden __SCK__\name
__SCK__\name:
  .quad \func
  .quad __SCT__\name, 0
.size __SCK__\name,24
.endm

.data
.p2align 3
.irp name, global, hidden, untyped, imported, __static_call_return0, __static_call_nop, absolute, ifunc
key \name, \name
.endr
.ifdef WEAK
key weak, weak
.endif
key local, .text + (local - .text)
key null, 0
key constant, 0x201000

.bss
.p2align 3
.globl __SCK__bss
.hidden __SCK__bss
__SCK__bss:
  .zero 24
