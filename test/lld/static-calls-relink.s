# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## Links in several steps, on each architecture: -r, a second -r of the output, with and
## without thunks in it, and the final link.

# RUN: rm -rf %t && split-file %s %t && cd %t
# RUN: llvm-mc -filetype=obj -triple=x86_64 a.s -o x86-a.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 --defsym B=1 a.s -o x86-b.o
# RUN: llvm-mc -filetype=obj -triple=aarch64 --defsym ARM=1 a.s -o arm-a.o
# RUN: llvm-mc -filetype=obj -triple=aarch64 --defsym ARM=1 --defsym B=1 a.s -o arm-b.o
# RUN: llvm-mc -filetype=obj -triple=powerpc64le --defsym PPC=1 a.s -o ppc-a.o
# RUN: llvm-mc -filetype=obj -triple=powerpc64le --defsym PPC=1 --defsym B=1 a.s -o ppc-b.o

## If the final link makes the thunks, the number of earlier steps does not matter.
# DEFINE: %{arch} = x86
# DEFINE: %{later} = %ld.lld -r %{arch}-a.o -o once.o && \
# DEFINE:   %ld.lld -r --static-calls once.o %{arch}-b.o -o twice.o && \
# DEFINE:   %ld.lld --static-calls -T final.lds twice.o -o twice && \
# DEFINE:   %ld.lld --static-calls -T final.lds %{arch}-a.o %{arch}-b.o -o at-once && \
# DEFINE:   llvm-objcopy -O binary twice && llvm-objcopy -O binary at-once && \
# DEFINE:   cmp twice at-once
# RUN: %{later}
# REDEFINE: %{arch} = arm
# RUN: %{later}
# REDEFINE: %{arch} = ppc
# RUN: %{later}

## The same with sections discarded at each step, so that no remaining code calls b. In
## the first step nothing refers to the key, so an option (-u) keeps it.
# REDEFINE: %{arch} = x86
# DEFINE: %{dropped} = %ld.lld -r --gc-sections -u call_a -u __SCK__a %{arch}-a.o %{arch}-b.o -o once.o && \
# DEFINE:   %ld.lld -r -T discard.lds once.o %{arch}-b.o -o twice.o && \
# DEFINE:   %ld.lld --static-calls --gc-sections -e call_a twice.o -o twice && \
# DEFINE:   llvm-readelf -s twice | FileCheck %s --check-prefix=DROPPED
# RUN: %{dropped}
# REDEFINE: %{arch} = arm
# RUN: %{dropped}
# REDEFINE: %{arch} = ppc
# RUN: %{dropped}
# DROPPED-NOT: __SCT__b
# DROPPED:     __SCT__a
# DROPPED-NOT: __SCT__b

## Both steps make thunks, as for a module that is linked twice. The output has one
## section of thunks and one section of their relocations.
# REDEFINE: %{arch} = x86
# DEFINE: %{both} = %ld.lld -r --static-calls-relocatable %{arch}-a.o -o once.o && \
# DEFINE:   %ld.lld -r --static-calls-relocatable once.o %{arch}-b.o -o twice.o && \
# DEFINE:   %ld.lld -r --static-calls-relocatable twice.o -o thrice.o && \
# DEFINE:   %ld.lld -r --static-calls-relocatable %{arch}-a.o %{arch}-b.o -o at-once.o && \
# DEFINE:   llvm-readelf -SrsW thrice.o | FileCheck %s && \
# DEFINE:   %stock_lld -T final.lds thrice.o -o loaded && \
# DEFINE:   %stock_lld -T final.lds at-once.o -o at-once && \
# DEFINE:   llvm-objcopy -O binary loaded && llvm-objcopy -O binary at-once && \
# DEFINE:   cmp loaded at-once
# RUN: %{both}
# REDEFINE: %{arch} = arm
# RUN: %{both}
# CHECK:     .static_call_sites
# CHECK-NOT: {{[]]}} .static_call_sites
# CHECK:     .rela.static_call_sites
# CHECK-NOT: {{[]]}} .rela.static_call_sites
# CHECK:     '.rela.static_call_sites' {{.*}} contains 4 entries
# CHECK-DAG: __SCT__a
# CHECK-DAG: __SCT__b
## The final link refuses thunks that an earlier -r made.
# RUN: not %ld.lld --static-calls thrice.o -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWICE
# TWICE: error: thrice.o: symbol '__SCT__a' is made by the linker; remove its definition or --static-calls
## Compressed relocations (CREL) of the input cannot be joined with ours.
# RUN: llvm-mc -filetype=obj -triple=x86_64 -crel sites.s -o sites.o
# RUN: not %ld.lld -r --static-calls-relocatable sites.o x86-a.o -o /dev/null 2>&1 | FileCheck %s --check-prefix=CREL
# CREL: error: section .crel.static_call_sites of the input does not have the type SHT_RELA, like those of static calls

## A later link may drop a section group. Then no entry of the table may refer to the
## group.
# RUN: llvm-mc -filetype=obj -triple=x86_64 group.s -o group.o
# RUN: %ld.lld -r --static-calls-relocatable group.o x86-a.o -o first.o 2>&1 | FileCheck %s --check-prefix=GROUP
# RUN: %ld.lld -r --static-calls-relocatable group.o x86-b.o -o second.o
# RUN: %stock_lld first.o second.o -o groups
# RUN: llvm-readelf -SW first.o | FileCheck %s --check-prefix=ONE-SITE
# RUN: %ld.lld -r --static-calls-relocatable --force-group-allocation --fatal-warnings group.o x86-a.o -o first.o
# RUN: llvm-readelf -SW first.o | FileCheck %s --check-prefix=TWO-SITES
# GROUP:     warning: group.o:(.text.g+0x0): static calls in a section group are not in .static_call_sites; use --force-group-allocation
# ONE-SITE:  .static_call_sites PROGBITS {{[0-9a-f]+ [0-9a-f]+}} 000008
# TWO-SITES: .static_call_sites PROGBITS {{[0-9a-f]+ [0-9a-f]+}} 000010

#--- final.lds
SECTIONS {
  .text 0x10000 : { *(.text.call_a) *(.text.call_b) *(.text.a) *(.text.b) *(.text*) }
  .static_call.text 0x11000 : { *(.static_call.text) }
  .static_call_tramp_key 0x12000 : { *(.static_call_tramp_key) }
  .static_call_sites 0x13000 : { *(.static_call_sites) }
  .note.patchbay.static_calls 0x14000 : { *(.note.patchbay.static_calls) }
  .data 0x20000 : { *(.data.a) *(.data.b) *(.data*) }
  .got 0x30000 : { *(.got*) }
}
#--- discard.lds
SECTIONS { /DISCARD/ : { *(.text.call_b) } }
#--- a.s
.macro STATIC_CALL name
.ifdef PPC
.abiversion 2
.endif
.section .text.call_\name,"ax"
.globl call_\name
.type call_\name,@function
call_\name:
.ifdef PPC
  bl __SCT__\name
  nop
.else
.ifdef ARM
  bl __SCT__\name
.else
  call __SCT__\name
.endif
.endif
.section .text.\name,"ax"
.type \name,@function
\name:
.ifdef PPC
  blr
.else
  ret
.endif
.section .data.\name,"aw"
.globl __SCK__\name
.p2align 3
__SCK__\name:
  .quad \name, __SCT__\name, 0
.endm
.ifdef B
STATIC_CALL b
.else
STATIC_CALL a
.endif
#--- sites.s
.section .static_call_sites,"aw"
  .long __SCK__a - .
#--- group.s
.section .text.g,"axG",@progbits,g,comdat
.weak g
g:
  call __SCT__g
.section .data.g,"awG",@progbits,__SCK__g,comdat
.weak __SCK__g
.p2align 3
__SCK__g:
  .quad g, __SCT__g, 0
