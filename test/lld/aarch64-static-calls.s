# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## The AArch64 thunk: its bytes, its first target, and its reach.

# RUN: rm -rf %t && split-file %s %t && cd %t
# RUN: llvm-mc -filetype=obj -triple=aarch64 a.s -o a.o
# RUN: llvm-mc -filetype=obj -triple=aarch64 lib.s -o lib.o
# RUN: llvm-mc -filetype=obj -triple=aarch64 err.s -o err.o
# RUN: llvm-mc -filetype=obj -triple=aarch64_be a.s -o be.o
# RUN: %ld.lld -shared lib.o -o lib.so

# RUN: %ld.lld --static-calls a.o lib.so -o exe
# RUN: llvm-objdump -d --no-show-raw-insn exe | FileCheck %s
# RUN: %ld.lld --static-calls -pie a.o lib.so -o pie
# RUN: llvm-objdump -d --no-show-raw-insn pie | FileCheck %s
# RUN: %ld.lld --static-calls -shared -Bsymbolic a.o lib.so -o dso
# RUN: llvm-objdump -d --no-show-raw-insn dso | FileCheck %s

## --branch-to-branch, on by default at -O2, does not bypass the thunks.
# RUN: %ld.lld --static-calls -O2 a.o lib.so -o exe2
# RUN: llvm-objdump -d --no-show-raw-insn exe2 | FileCheck %s

## With BTI LLD adds no landing pads for calls of thunks.
# RUN: %ld.lld --static-calls -z force-bti a.o lib.so -o bti 2>/dev/null
# RUN: llvm-objdump -d --no-show-raw-insn bti | FileCheck %s
# RUN: llvm-nm bti | FileCheck %s --check-prefix=BTI
# BTI-NOT: BTI

# CHECK-LABEL: <_start>:
# CHECK-NEXT:    bl {{.*}} <__SCT__local>
# CHECK-NEXT:    bl {{.*}} <__SCT__imported>
# CHECK-NEXT:    bl {{.*}} <__SCT__key>
# CHECK-NEXT:    bl {{.*}} <__SCT__null>
# CHECK-NEXT:    bl {{.*}} <__SCT__zero>
# CHECK-NEXT:    b {{.*}} <__SCT__local>

# CHECK-LABEL: <__SCT__local>:
# CHECK-NEXT:    bti c
# CHECK-NEXT:    b {{.*}} <local>
# CHECK-NEXT:    adrp x16
# CHECK-NEXT:    ldr x16, [x16
# CHECK-NEXT:    br x16
# CHECK-NEXT:    brk #0
# CHECK-NEXT:    mov x0, xzr
# CHECK-NEXT:    ret
## The target is a function of another link unit.
# CHECK-LABEL: <__SCT__imported>:
# CHECK-NEXT:    bti c
# CHECK-NEXT:    nop
# CHECK-NEXT:    adrp x16
# CHECK-NEXT:    ldr x16, [x16
# CHECK-NEXT:    br x16
## The key is in another link unit.
# CHECK-LABEL: <__SCT__key>:
# CHECK-NEXT:    bti c
# CHECK-NEXT:    nop
# CHECK-NEXT:    adrp x16
# CHECK-NEXT:    ldr x16, [x16, #{{.*}}]
# CHECK-NEXT:    ldr x16, [x16]{{$}}
# CHECK-NEXT:    br x16
# CHECK-LABEL: <__SCT__null>:
# CHECK-NEXT:    bti c
# CHECK-NEXT:    b {{.*}} <__SCT__null+0x1c>
# CHECK-LABEL: <__SCT__zero>:
# CHECK-NEXT:    bti c
# CHECK-NEXT:    b {{.*}} <__SCT__zero+0x18>

## The addresses below fix the displacements.
# RUN: %ld.lld --static-calls -T a.lds a.o lib.o -o placed
# RUN: llvm-objdump -s --section=.static_call.text placed | FileCheck %s --check-prefix=BYTES
# RUN: llvm-objdump -s --section=.static_call_sites placed | FileCheck %s --check-prefix=SITES
# BYTES:      10040 5f2403d5 f5ffff17 90000090 10aa42f9
# BYTES-NEXT: 10050 00021fd6 000020d4 e0031faa c0035fd6
## bl at 0x10000 and b at 0x10014, keys at 0x20550.
# SITES:      12000 00e0ffff 4ce50000 0ce0ffff 45e50000

## The target is 128 MB and one instruction away.
# RUN: %ld.lld --static-calls -T far.lds a.o lib.o -o far
# RUN: llvm-objdump -d --no-show-raw-insn --section=.static_call.text far | FileCheck %s --check-prefix=FAR
# RUN: %ld.lld --static-calls -T near.lds a.o lib.o -o near
# RUN: llvm-objdump -d --no-show-raw-insn --section=.static_call.text near | FileCheck %s --check-prefix=NEAR
# NEAR-LABEL: <__SCT__local>:
# NEAR-NEXT:    bti c
# NEAR-NEXT:    b {{.*}} <local>
# FAR-LABEL: <__SCT__local>:
# FAR-NEXT:    bti c
# FAR-NEXT:    nop

## The key is 4 GB away.
# RUN: not %ld.lld --static-calls -T key.lds a.o lib.o -o key.out 2>&1 | FileCheck %s --check-prefix=KEY
# KEY: error: a.o:(.data+0x0): static call key '__SCK__local' is out of reach of its thunk at 0x10040

# RUN: not %ld.lld --static-calls a.o err.o lib.so -o err.out 2>&1 | FileCheck %s --check-prefix=ERR
# ERR: error: err.o:(.text+0x0): relocation R_AARCH64_CONDBR19 refers to static call 'local', which can only be called and jumped to
# ERR: error: err.o:(.text+0x4): branch into the middle of static call 'local'
# ERR: error: err.o:(.text+0x8): relocation R_AARCH64_ADR_PREL_PG_HI21 refers to static call 'local', which can only be called and jumped to
# RUN: not %ld.lld --static-calls be.o -o be.out 2>&1 | FileCheck %s --check-prefix=BE
# BE: error: be.o: --static-calls does not support this target
# RUN: not ls *.out

#--- a.lds
SECTIONS {
  .text 0x10000 : { *(.text) }
  .static_call.text 0x10040 : { *(.static_call.text) }
  .static_call_sites 0x12000 : { *(.static_call_sites) }
  .data 0x20550 : { *(.data) }
}
#--- near.lds
SECTIONS {
  .static_call.text 0x10000000 : { *(.static_call.text) }
  .data 0x10010000 : { *(.data) }
  .text 0x17ffffe8 : { *(.text) }
}
#--- far.lds
SECTIONS {
  .static_call.text 0x10000000 : { *(.static_call.text) }
  .data 0x10010000 : { *(.data) }
  .text 0x17ffffec : { *(.text) }
}
#--- key.lds
SECTIONS {
  .text 0x10000 : { *(.text) }
  .static_call.text 0x10040 : { *(.static_call.text) }
  .rest 0x11000 : { *(.static_call_*) *(.note*) *(.got) }
  .data 0x100010000 : { *(.data) }
}
#--- a.s
.globl _start
_start:
  bl __SCT__local
  bl __SCT__imported
  bl __SCT__key
  bl __SCT__null
  bl __SCT__zero
  b __SCT__local
.type local,@function
local:
  ret
.data
.macro key name, func
.globl __SCK__\name
.hidden __SCK__\name
__SCK__\name:
  .xword \func, __SCT__\name, 0
.endm
.p2align 3
key local, local
key imported, imported
key null, 0
key zero, __static_call_return0
#--- lib.s
.globl imported, __static_call_return0
.type imported,@function
imported:
__static_call_return0:
  ret
.data
.p2align 3
.globl __SCK__key
.protected __SCK__key
.type __SCK__key,@object
.size __SCK__key,24
__SCK__key:
  .zero 24
#--- err.s
  b.eq __SCT__local
  b __SCT__local+4
  adrp x0, __SCT__local
