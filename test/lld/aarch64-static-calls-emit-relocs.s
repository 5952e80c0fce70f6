# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## --emit-relocs writes relocations that tell tools that move code how a thunk finds its
## key. The thunk's branch needs no relocation, because tools can decode it.

# RUN: rm -rf %t && split-file %s %t && cd %t
# RUN: llvm-mc -filetype=obj -triple=aarch64 a.s -o a.o
# RUN: llvm-mc -filetype=obj -triple=aarch64 lib.s -o lib.o
# RUN: %ld.lld -shared lib.o -o lib.so

# RUN: %ld.lld --static-calls --emit-relocs a.o lib.so -o a
# RUN: llvm-readelf -SrW a | FileCheck %s
# RUN: llvm-objdump -dr --section=.static_call.text a | FileCheck %s --check-prefix=DIS
# CHECK:     [[#%d,TEXT:]]] .static_call.text PROGBITS
# CHECK:     .rela.static_call.text RELA 0000000000000000 {{.*}} 000060 18 I {{ *[0-9]+}} {{ *}}[[#TEXT]] 8
# CHECK:     '.rela.static_call.text' {{.*}} contains 4 entries
# DIS-LABEL: <__SCT__x>:
# DIS-NEXT:  bti c
# DIS-NEXT:  b {{.*}} <_start>
# DIS-NEXT:  adrp x16
# DIS-NEXT:  R_AARCH64_ADR_PREL_PG_HI21 __SCK__x
# DIS-NEXT:  ldr x16
# DIS-NEXT:  R_AARCH64_LDST64_ABS_LO12_NC __SCK__x
# DIS-LABEL: <__SCT__y>:
# DIS-NEXT:  bti c
# DIS-NEXT:  nop
# DIS-NEXT:  adrp x16
# DIS-NEXT:  R_AARCH64_ADR_GOT_PAGE __SCK__y
# DIS-NEXT:  ldr x16
# DIS-NEXT:  R_AARCH64_LD64_GOT_LO12_NC __SCK__y

## The thunks are among other code, with relocations in the same section; or discarded.
# RUN: %ld.lld --static-calls --emit-relocs -T text.lds a.o lib.so -o text
# RUN: llvm-readelf -SrW text | FileCheck %s --check-prefix=JOINED
# JOINED-NOT: .rela.static_call.text
# JOINED:     '.rela.text' {{.*}} contains 6 entries
# JOINED:     R_AARCH64_ADR_PREL_PG_HI21 {{.*}} __SCK__x + 0
# RUN: %ld.lld --static-calls --emit-relocs -T none.lds a.o lib.so -o none
# RUN: llvm-readelf -SW none | FileCheck %s --check-prefix=NONE
# NONE-NOT:   .rela.static_call.text
## The output has no relocations without the option or without static calls.
# RUN: %ld.lld --static-calls a.o lib.so -o off
# RUN: llvm-readelf -SW off | FileCheck %s --check-prefix=NONE
# RUN: %stock_lld --emit-relocs lib.o -o lib.stock
# RUN: %ld.lld --static-calls --emit-relocs lib.o -o lib
# RUN: cmp lib lib.stock

#--- text.lds
SECTIONS { .text : { *(.text) *(.static_call.text) } }
#--- none.lds
SECTIONS { /DISCARD/ : { *(.rela.static_call.text) } }
#--- a.s
.globl _start
.type _start,@function
_start:
  bl __SCT__x
  bl __SCT__y
.data
.p2align 3
.globl __SCK__x
__SCK__x:
  .quad _start, __SCT__x, 0
#--- lib.s
.data
.p2align 3
.globl __SCK__y
.protected __SCK__y
.type __SCK__y,@object
.size __SCK__y,24
__SCK__y:
  .zero 24
