# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## --static-calls-kernel reports references that cannot be static calls of the kernel.

# RUN: rm -rf %t && split-file %s %t && cd %t
# RUN: llvm-mc -filetype=obj -triple=powerpc64le key.s -o key.o
# RUN: llvm-mc -filetype=obj -triple=powerpc64le toc.s -o toc.o
# RUN: llvm-mc -filetype=obj -triple=powerpc64le call.s -o call.o
# DEFINE: %{link} = %ld.lld --static-calls-kernel

## Callers that cannot load the TOC pointer, and branches that cannot be patched.
# RUN: llvm-mc -filetype=obj -triple=powerpc64le calls.s -o calls.o
# RUN: not %{link} calls.o key.o toc.o -o err.out 2>&1 | FileCheck %s --check-prefix=CALLS --implicit-check-not=error:
# CALLS: error: calls.o:(.text+0x0): call to static call 'x' lacks nop, cannot restore the TOC pointer
# CALLS: error: calls.o:(.text+0x8): jump to static call 'x' cannot restore the TOC pointer; compile with -fno-optimize-sibling-calls
# CALLS: error: calls.o:(.text+0xc): branch into the middle of static call 'x'
# CALLS: error: calls.o:(.text+0x14): relocation R_PPC64_REL14 refers to static call 'x', which can only be called and jumped to
# CALLS: error: calls.o:(.text+0x18): static call 'x' is called without a TOC pointer; compile with -mno-pcrel
# CALLS: error: calls.o:(.text+0x1c): call to static call 'x' lacks nop

## Without __static_call_toc_offset, the first call causes an error, and no other does.
# RUN: not %{link} call.o key.o -o err.out 2>&1 | FileCheck %s --check-prefix=TOC --implicit-check-not=error:
# TOC: error: call.o:(.text+0x0): call to static call 'x' cannot restore the TOC pointer: no absolute symbol '__static_call_toc_offset' gives its offset from r13
# RUN: not %{link} call.o key.o --defsym __static_call_toc_offset=_start -o err.out 2>&1 | FileCheck %s --check-prefix=TOC
## ld takes signed 16-bit multiples of 4.
# RUN: not %{link} call.o key.o --defsym __static_call_toc_offset=18 -o err.out 2>&1 | FileCheck %s --check-prefix=BAD-TOC
# BAD-TOC: error: {{.*}}symbol '__static_call_toc_offset' is 18, which is not a valid displacement of ld
# RUN: sed s/16/0x8000/ toc.s | llvm-mc -filetype=obj -triple=powerpc64le -o far-toc.o
# RUN: not %{link} call.o key.o far-toc.o -o err.out 2>&1 | FileCheck %s --check-prefix=FAR-TOC
# FAR-TOC: error: far-toc.o: symbol '__static_call_toc_offset' is 32768, which is not a valid displacement of ld
# RUN: sed s/16/-8/ toc.s | llvm-mc -filetype=obj -triple=powerpc64le -o low-toc.o
# RUN: %{link} call.o key.o low-toc.o -o low
# RUN: llvm-objdump -d low | FileCheck %s --check-prefix=LOW-TOC
# LOW-TOC: ld 2, -8(13)

## The linker script assigns the symbol's value late, because it depends on a size.
# RUN: %{link} -T late.lds call.o key.o -o late
# RUN: llvm-objdump -d late | FileCheck %s --check-prefix=LATE
# LATE: ld 2, 16(13)
# RUN: sed 's/SIZEOF(.rodata)/SIZEOF(.rodata)*0x1000/' late.lds >far.lds
# RUN: not %{link} -T far.lds call.o key.o -o err.out 2>&1 | FileCheck %s --check-prefix=FAR
# FAR: error: call.o:(.text+0x4): relocation R_PPC64_ADDR16_DS out of range: 65536 is not in [-32768, 32767]; references '__static_call_toc_offset'

## Invalid keys.
# RUN: sed 's/.quad f, 1/.long 0/' key.s | llvm-mc -filetype=obj -triple=powerpc64le -o short.o
# RUN: not %{link} call.o short.o toc.o -o err.out 2>&1 | FileCheck %s --check-prefix=SHORT
# SHORT: error: short.o:(.data+0x0): static call key '__SCK__x' has 4 bytes, 8 are needed
# RUN: sed 's/.data,"aw"/.rodata,"a"/' key.s | llvm-mc -filetype=obj -triple=powerpc64le -o const.o
# RUN: not %{link} call.o const.o toc.o -o err.out 2>&1 | FileCheck %s --check-prefix=CONST
# CONST: error: const.o:(.rodata+0x0): static call key '__SCK__x' is not in a writable section
# RUN: not %{link} call.o toc.o -o err.out 2>&1 | FileCheck %s --check-prefix=MISSING
# MISSING: error: call.o: undefined static call key '__SCK__x'; define it with DEFINE_STATIC_CALL(x, function) in one file of this link{{$}}
## The target is a function that only the dynamic linker can find.
# RUN: sed 's/f,@function/f,@gnu_indirect_function/' key.s | llvm-mc -filetype=obj -triple=powerpc64le -o ifunc.o
# RUN: not %{link} call.o ifunc.o toc.o -o err.out 2>&1 | FileCheck %s --check-prefix=IFUNC
# IFUNC: error: ifunc.o:(.data+0x0): static call 'x' has a target that is not in the kernel

## Thunks that the script discards or does not place, or that the input defines.
# RUN: not %{link} -T discard.lds call.o key.o toc.o -o err.out 2>&1 | FileCheck %s --check-prefix=DISCARD
# DISCARD:      error: undefined hidden symbol: __SCT__x
# DISCARD-NEXT: >>> referenced by call.o:(.text+0x0)
# DISCARD:      error: __SCT__x is made by the linker in section .static_call.text, which the linker script discards
# RUN: not %{link} -T orphan.lds --orphan-handling=error call.o key.o toc.o -o err.out 2>&1 | FileCheck %s --check-prefix=ORPHAN
# ORPHAN: error: <internal>:(.static_call.text) is being placed in '.static_call.text'
## The script discards the table before the rule that would place it.
# RUN: %{link} -T drop-table.lds call.o key.o toc.o -o dropped 2>&1 | FileCheck %s --check-prefix=DROP-TABLE
# DROP-TABLE: warning: section .static_call_sites is discarded by the linker script
# RUN: llvm-mc -filetype=obj -triple=powerpc64le thunk.s -o thunk.o
# RUN: not %{link} call.o key.o toc.o thunk.o -o err.out 2>&1 | FileCheck %s --check-prefix=DEFINED
# DEFINED: error: thunk.o: symbol '__SCT__x' is made by the linker; remove its definition or --static-calls-kernel
## A table that another tool made.
# RUN: llvm-mc -filetype=obj -triple=powerpc64le table.s -o table.o
# RUN: not %{link} call.o key.o toc.o table.o -o err.out 2>&1 | FileCheck %s --check-prefix=TABLE
# TABLE: error: table.o:(.static_call_sites): the linker makes this section; remove it, or link without --static-calls-kernel

## The linker makes nothing without the option.
# RUN: llvm-mc -filetype=obj -triple=x86_64 x86.s -o x86.o
# RUN: not %{link} x86.o -o err.out 2>&1 | FileCheck %s --check-prefix=X86
# X86: error: --static-calls-kernel is only supported on PowerPC64 targets; where the kernel makes the thunks use --static-call-sites
# RUN: %{link} -r call.o -o r.o 2>&1 | FileCheck %s --check-prefix=RELOCATABLE
# RELOCATABLE: warning: --static-calls-kernel has no effect with -r
# RUN: %{link} --static-calls-same-toc call.o key.o toc.o -o same 2>&1 | FileCheck %s --check-prefix=SAME
# SAME: warning: --static-calls-same-toc has no effect with --static-calls-kernel
# RUN: not %{link} --static-call-sites call.o key.o toc.o -o err.out 2>&1 | FileCheck %s --check-prefix=SITES
# SITES: error: --static-call-sites is for thunks that the input defines; remove it or --static-calls-kernel
# RUN: not ls err.out

#--- discard.lds
SECTIONS { /DISCARD/ : { *(.static_call.text) } }
#--- late.lds
SECTIONS { .rodata : { KEEP(*(.static_call_sites)) } __static_call_toc_offset = SIZEOF(.rodata); }
#--- drop-table.lds
SECTIONS { /DISCARD/ : { *(.static_call_sites) } .rodata : { KEEP(*(.static_call_sites)) } }
#--- orphan.lds
SECTIONS { .text : { *(.text) } .data : { *(.data) } .got : { *(.got .toc) }
  .symtab 0 : { *(.symtab) } .strtab 0 : { *(.strtab) } .shstrtab 0 : { *(.shstrtab) }
  .comment 0 : { *(.comment) } .branch_lt : { *(.branch_lt) } }
#--- toc.s
.globl __static_call_toc_offset
.set __static_call_toc_offset, 16
#--- call.s
.abiversion 2
.globl _start
_start:
  bl __SCT__x
  nop
  bl __SCT__x
  nop
#--- calls.s
.abiversion 2
.globl _start
_start:
  bl __SCT__x
  blr
  b __SCT__x
  bl __SCT__x+4
  nop
  beq __SCT__x
  bl __SCT__x@notoc
  bl __SCT__x
#--- key.s
.abiversion 2
.globl f
.type f,@function
f:
  blr
.section .data,"aw"
.p2align 3
.globl __SCK__x
__SCK__x:
  .quad f, 1
#--- thunk.s
.abiversion 2
.globl __SCT__x
__SCT__x:
  b f
#--- table.s
.section .static_call_sites,"aw"
  .long 0, 0
#--- x86.s
.globl _start
_start:
  ret
