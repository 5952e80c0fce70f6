# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## -r makes no thunks, because the final link does; for a module loader, -r does.

# RUN: rm -rf %t && split-file %s %t && cd %t
# RUN: llvm-mc -filetype=obj -triple=x86_64 first.s -o first.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 a.s -o a.o
# RUN: llvm-mc -filetype=obj -triple=aarch64 aarch64.s -o aarch64.o
# RUN: llvm-mc -filetype=obj -triple=powerpc64le ppc64.s -o ppc64.o

# RUN: %ld.lld --static-calls -r a.o -o later.o
# RUN: llvm-nm later.o | FileCheck %s --check-prefix=LATER
# RUN: %ld.lld --static-calls later.o --defsym __SCK__other=__SCK__a -o later
# RUN: llvm-nm later | FileCheck %s --check-prefix=FINAL
# LATER: D __SCK__a
# LATER: U __SCT__a
# FINAL: D __SCK__a
# FINAL: t __SCT__a

## The kernel's thunks, for the keys that are defined here.
# RUN: %ld.lld -r --static-calls-relocatable first.o a.o -o module.o
# RUN: llvm-objdump -dr --section=.static_call.text module.o | FileCheck %s --check-prefix=TRAMP
# RUN: llvm-readelf -SrsW module.o | FileCheck %s
# RUN: llvm-mc -filetype=obj -triple=x86_64 -crel a.s -o crel.o
# RUN: %ld.lld -r --static-calls-relocatable first.o crel.o -o crel-module.o
# RUN: llvm-objdump -dr --section=.static_call.text crel-module.o | FileCheck %s --check-prefix=TRAMP
# RUN: llvm-readelf -r crel-module.o | FileCheck %s --check-prefix=CREL
# CREL: '.rela.static_call_sites' {{.*}} contains 8 entries
# TRAMP-LABEL: <__SCT__a>:
# TRAMP-NEXT:    e9 00 00 00 00 jmp
# TRAMP-NEXT:    R_X86_64_PLT32 .text.target+0x1
# TRAMP-NEXT:    0f b9 cc
# TRAMP-LABEL: <__SCT__null>:
# TRAMP-NEXT:    c3
# TRAMP-NEXT:    cc
# TRAMP-NEXT:    90
# TRAMP-NEXT:    90
# TRAMP-NEXT:    90
# TRAMP-NEXT:    0f b9 cc

# CHECK: [[#%d,TEXT:]]] .static_call.text PROGBITS {{.*}} 000010 00 AX 0 0 8
# CHECK: [[#%d,SITES:]]] .static_call_sites PROGBITS {{.*}} 000020 00 WA 0 0 4
# CHECK: .rela.static_call.text RELA {{.*}} 000018 18 I {{ *[0-9]+}} {{ *}}[[#TEXT]] 8
# CHECK: .rela.static_call_sites RELA {{.*}} 0000c0 18 I {{ *[0-9]+}} {{ *}}[[#SITES]] 8
## The table as the kernel's objtool would write it: address, key and the flag of a jump.
# CHECK-LABEL: '.rela.static_call_sites'
# CHECK:      0000000000000000 {{.*}} R_X86_64_PC32 {{.*}} .text + 4{{$}}
# CHECK-NEXT: 0000000000000004 {{.*}} R_X86_64_PC32 {{.*}} __SCK__a + 0
# CHECK-NEXT: 0000000000000008 {{.*}} R_X86_64_PC32 {{.*}} .text + 9{{$}}
# CHECK-NEXT: 000000000000000c {{.*}} R_X86_64_PC32 {{.*}} __SCK__a + 1
# CHECK-NEXT: 0000000000000010 {{.*}} R_X86_64_PC32 {{.*}} .text + f{{$}}
# CHECK-NEXT: 0000000000000014 {{.*}} R_X86_64_PC32 {{.*}} __SCK__null + 1
# CHECK-NEXT: 0000000000000018 {{.*}} R_X86_64_PC32 {{.*}} .text.other + 1
# CHECK-NEXT: 000000000000001c {{.*}} R_X86_64_PC32 {{.*}} __SCK__null + 0
# CHECK-DAG:  8 FUNC GLOBAL DEFAULT [[#TEXT]] __SCT__a
# CHECK-DAG:  0 NOTYPE GLOBAL DEFAULT UND __SCT__other

## Stock LLD applies the output's relocations, as a module loader does.
# RUN: %stock_lld -T module.lds module.o --defsym __SCT__other=f -o module
# RUN: llvm-objdump -s --section=.static_call.text --section=.static_call_sites module | FileCheck %s --check-prefix=LOADED
# LOADED:      11000 e9001000 000fb9cc c3cc9090 900fb9cc
# LOADED:      13000 04d0ffff 04d00000 01d0ffff fdcf0000
# LOADED-NEXT: 13010 ffcfffff 0dd00000 02d0ffff 04d00000

# RUN: %ld.lld -r --static-calls-relocatable aarch64.o -o aarch64-module.o
# RUN: llvm-objdump -dr --section=.static_call.text aarch64-module.o | FileCheck %s --check-prefix=AARCH64
# RUN: llvm-readelf -rW aarch64-module.o | FileCheck %s --check-prefix=AARCH64-SITES
# AARCH64-LABEL: <__SCT__a>:
# AARCH64-NEXT:    bti c
# AARCH64-NEXT:    b
# AARCH64-NEXT:    R_AARCH64_JUMP26 .text+0x4
# AARCH64-NEXT:    adrp x16
# AARCH64-NEXT:    R_AARCH64_ADR_PREL_PG_HI21 __SCK__a
# AARCH64-NEXT:    ldr x16, [x16]
# AARCH64-NEXT:    R_AARCH64_LDST64_ABS_LO12_NC __SCK__a
# AARCH64-NEXT:    br x16
# AARCH64-LABEL: <__SCT__null>:
# AARCH64-NEXT:    bti c
# AARCH64-NEXT:    b 0x3c <__SCT__null+0x1c>
# AARCH64:         ret
# AARCH64-SITES: R_AARCH64_PREL32 {{.*}} .text + 0
# AARCH64-SITES: R_AARCH64_PREL32 {{.*}} __SCK__a + 0

# RUN: not %ld.lld -r --static-calls-relocatable ppc64.o -o ppc64.out 2>&1 | FileCheck %s --check-prefix=PPC64
# PPC64: error: ppc64.o: --static-calls-relocatable does not support this target
# RUN: not ls ppc64.out

#--- module.lds
SECTIONS {
  .text 0x10000 : { *(.text) }
  .text.other 0x10019 : { *(.text.other) }
  .static_call.text 0x11000 : { *(.static_call.text) }
  .text.target 0x12000 : { *(.text.target) }
  .static_call_sites 0x13000 : { *(.static_call_sites) }
  .data 0x20000 : { *(.data) }
}
#--- first.s
  nop
#--- a.s
.globl f
f:
  call __SCT__a
  jne __SCT__a
  jmp __SCT__null
  call __SCT__other
.section .text.other,"ax"
  nop
  call __SCT__null
.section .text.target,"ax"
  .zero 5
target:
  ret
.data
.p2align 3
  .quad 0
.globl __SCK__a, __SCK__null
__SCK__a:
  .quad target, __SCT__a, 0
__SCK__null:
  .quad 0, __SCT__null, 0
#--- aarch64.s
  bl __SCT__a
target:
  ret
  bl __SCT__null
.data
.p2align 3
.globl __SCK__a, __SCK__null
## struct static_call_key, and EXPORT_STATIC_CALL_TRAMP().
__SCK__a:
  .quad target, 1
__SCK__null:
  .quad 0, 1
.section .static_call_tramp_key,"a"
  .long __SCT__a - .
  .long __SCK__a - .
#--- ppc64.s
.abiversion 2
  bl __SCT__a
  nop
.data
.p2align 3
.globl __SCK__a
__SCK__a:
  .quad 0, __SCT__a, 0
