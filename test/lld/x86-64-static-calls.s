# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## The thunk's bytes and symbol, in all types of output.

# RUN: llvm-mc -filetype=obj -triple=x86_64 %s -o %t.o

# RUN: %ld.lld --static-calls %t.o -o %t
# RUN: llvm-objdump -d --section=.static_call.text %t | FileCheck %s
# RUN: llvm-readelf -sS %t | FileCheck %s --check-prefix=ELF
# RUN: llvm-objdump -d --section=.text --no-show-raw-insn %t | FileCheck %s --check-prefix=CALL

# RUN: %ld.lld --static-calls -pie %t.o -o %t.pie
# RUN: llvm-objdump -d --section=.static_call.text %t.pie | FileCheck %s
# RUN: llvm-readelf -sS %t.pie | FileCheck %s --check-prefix=ELF

# RUN: %ld.lld --static-calls -static -pie --no-dynamic-linker %t.o -o %t.spie
# RUN: llvm-objdump -d --section=.static_call.text %t.spie | FileCheck %s

# RUN: %ld.lld --static-calls -shared %t.o -o %t.so
# RUN: llvm-objdump -d --section=.static_call.text %t.so | FileCheck %s
# RUN: llvm-readelf -sS %t.so | FileCheck %s --check-prefix=ELF
# RUN: llvm-readelf --dyn-syms %t.so | FileCheck %s --check-prefix=DYN

## The addresses below fix the displacements: the function is
## 0x35 below the end of the jmp, the key 0x1005 above the end of the second jmp.
# RUN: echo 'SECTIONS { \
# RUN:   .text 0x10000 : { *(.text) } \
# RUN:   .static_call.text 0x10040 : { *(.static_call.text) } \
# RUN:   .data 0x11050 : { *(.data) } }' > %t.lds
# RUN: %ld.lld --static-calls -T %t.lds %t.o -o %t.placed
# RUN: llvm-objdump -s --section=.static_call.text %t.placed | FileCheck %s --check-prefix=BYTES

# CHECK-LABEL: <__SCT__one>:
# CHECK-NEXT:    e9 {{.*}} jmp {{.*}} <target>
# CHECK-NEXT:    ff 25 {{.*}} jmpq *0x{{[0-9a-f]+}}(%rip)
# CHECK-COUNT-5: cc
# CHECK-NEXT:    31 c0
# CHECK-NEXT:    c3
# CHECK-NEXT:    e3 fe
# CHECK-COUNT-3: cc
## Each static call has its own thunk. All callers of a static call share its thunk.
# CHECK-LABEL: <__SCT__two>:
# CHECK-NEXT:    e9 {{.*}} jmp {{.*}} <target>
# CHECK-NOT:   <__SCT__{{.*}}>:

# ELF:       .static_call.text PROGBITS {{[0-9a-f]*}} {{[0-9a-f]*}} 000030 00 AX 0 0 8
# ELF-DAG:   24 FUNC LOCAL HIDDEN {{.*}} __SCT__one
# ELF-DAG:   24 FUNC LOCAL HIDDEN {{.*}} __SCT__two
# DYN-NOT:   __SCT__

# CALL:      callq {{.*}} <__SCT__one>
# CALL-NEXT: jne {{.*}} <__SCT__one>
# CALL-NEXT: jmp {{.*}} <__SCT__two>

# BYTES:      10040 e9cbffff ffff2505 100000cc cccccccc
# BYTES-NEXT: 10050 31c0c3e3 fecccccc e9b3ffff ffff2505
# BYTES-NEXT: 10060 100000cc cccccccc 31c0c3e3 fecccccc

.globl _start
_start:
  call __SCT__one
  jne __SCT__one
  jmp __SCT__two
.p2align 4
.hidden target
.globl target
.type target,@function
target:
  ret

.data
.macro key name
.globl __SCK__\name
.protected __SCK__\name
.type __SCK__\name,@object
.size __SCK__\name,24
.p2align 3
__SCK__\name:
  .quad target
  .quad __SCT__\name, 0
.endm
key one
key two
