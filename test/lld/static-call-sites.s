# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## --static-call-sites makes a table of the calls of thunks that the input defines, as
## the kernel's macros do. The option is for vmlinux and, with -r, for modules.

# RUN: rm -rf %t && split-file %s %t && cd %t
# RUN: llvm-mc -filetype=obj -triple=aarch64 arm64.s -o arm64.o
# RUN: llvm-mc -filetype=obj -triple=aarch64 arm64-thunks.s -o arm64-thunks.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 x86.s -o x86.o
# RUN: llvm-mc -filetype=obj -triple=powerpc64le ppc64.s -o ppc64.o

## arm64's vmlinux. The option changes no thunk, branch, address or other output.
# RUN: %ld.lld --static-call-sites -T vmlinux.lds arm64.o arm64-thunks.o -o vmlinux --fatal-warnings
# RUN: llvm-objdump -d --no-show-raw-insn vmlinux | FileCheck %s --check-prefix=ARM64
# RUN: llvm-objdump -s -j .static_call_sites vmlinux | FileCheck %s --check-prefix=ARM64-TABLE
# ARM64-LABEL: <_start>:
# ARM64-NEXT:    10000: bl {{.*}} <__SCT__a>
# ARM64-NEXT:    b {{.*}} <__SCT__b>
# ARM64-NEXT:    bl {{.*}} <__SCT__a>
# ARM64-TABLE:      20000 0000ffff 24000000 0000ffff 1c000000
# ARM64-TABLE-NEXT: 20010 f4fffeff 25000000
# RUN: %stock_lld -T vmlinux.lds arm64.o arm64-thunks.o -o stock
# RUN: llvm-objdump -s -j .text -j .rodata vmlinux | tail -n +3 >ours
# RUN: llvm-objdump -s -j .text -j .rodata stock | tail -n +3 >theirs
# RUN: cmp ours theirs
## No table if the script has no section for one. Without static calls the option has no effect.
# RUN: sed /static_call_sites/d vmlinux.lds >no-table.lds
# RUN: %ld.lld --static-call-sites -T no-table.lds arm64.o arm64-thunks.o -o ours
# RUN: %stock_lld -T no-table.lds arm64.o arm64-thunks.o -o theirs
# RUN: cmp ours theirs

## In a module an entry has the key if the module knows it, otherwise the thunk, from
## which the kernel finds the key. The kernel defines thunks that the module only calls.
# RUN: %ld.lld -r --static-call-sites arm64.o -o module.o
# RUN: llvm-readelf -SrsW module.o | FileCheck %s --check-prefix=MODULE
# MODULE: .static_call_sites PROGBITS {{.*}} 000018 00 WA 0 0 4
# MODULE-LABEL: '.rela.static_call_sites' {{.*}} contains 6 entries
# MODULE:      0000000000000000 {{.*}} R_AARCH64_PREL32 {{.*}} .text + 0{{$}}
# MODULE-NEXT: 0000000000000004 {{.*}} R_AARCH64_PREL32 {{.*}} __SCK__a + 0{{$}}
# MODULE-NEXT: 0000000000000008 {{.*}} R_AARCH64_PREL32 {{.*}} .text + 4{{$}}
# MODULE-NEXT: 000000000000000c {{.*}} R_AARCH64_PREL32 {{.*}} __SCT__b + 1{{$}}
# MODULE-NEXT: 0000000000000010 {{.*}} R_AARCH64_PREL32 {{.*}} .text + 8{{$}}
# MODULE-NEXT: 0000000000000014 {{.*}} R_AARCH64_PREL32 {{.*}} __SCK__a + 0{{$}}
# MODULE-LABEL: '.symtab'
# MODULE-DAG: UND __SCT__a
# MODULE-DAG: UND __SCK__a

## x86-64, where objtool makes the same table.
# RUN: %ld.lld --static-call-sites -e 0 x86.o -o x86
# RUN: llvm-readelf -SW x86 | FileCheck %s --check-prefix=X86
# X86: .static_call_sites PROGBITS {{.*}} 000010
# RUN: %ld.lld -r --static-call-sites x86.o -o x86-module.o
# RUN: llvm-readelf -rW x86-module.o | FileCheck %s --check-prefix=X86-MODULE
# X86-MODULE:      R_X86_64_PC32 {{.*}} .text + 0{{$}}
# X86-MODULE-NEXT: R_X86_64_PC32 {{.*}} __SCK__a + 0{{$}}
# X86-MODULE-NEXT: R_X86_64_PC32 {{.*}} .text + 5{{$}}
# X86-MODULE-NEXT: R_X86_64_PC32 {{.*}} __SCK__a + 1{{$}}

## The input's thunks are single branches. -O2 must not redirect their callers, which
## could then not be listed, and must not fold thunks with the same target, because each
## is patched separately.
# RUN: %ld.lld --static-call-sites -O2 -e 0 x86.o -o x86-O2
# RUN: llvm-readelf -SW x86-O2 | FileCheck %s --check-prefix=X86
# RUN: llvm-objdump -d x86-O2 | FileCheck %s --check-prefix=X86-O2
# X86-O2:      callq {{.*}} <__SCT__a>
# X86-O2-NEXT: jmp {{.*}} <__SCT__a>
# RUN: %ld.lld --static-call-sites --branch-to-branch -e 0 x86.o -o x86-O2 2>&1 | FileCheck %s --check-prefix=BRANCH
# BRANCH: warning: --branch-to-branch has no effect with --static-call-sites
# RUN: llvm-mc -filetype=obj -triple=x86_64 x86-alike.s -o x86-alike.o
# RUN: %ld.lld --static-call-sites --icf=all -e 0 x86.o x86-alike.o -o x86-icf
# RUN: llvm-objdump -d x86-icf | FileCheck %s --check-prefix=X86-ICF
# X86-ICF: <__SCT__a>:
# X86-ICF-NEXT: jmp {{.*}} <target>
# X86-ICF: <__SCT__b>:
# X86-ICF-NEXT: jmp {{.*}} <target>

## ppc64: the linker also adds the load of r2 after calls. In modules the loader does.
# RUN: %ld.lld --static-call-sites -e 0 ppc64.o --defsym __static_call_toc_offset=16 -o ppc64
# RUN: llvm-objdump -d ppc64 | FileCheck %s --check-prefix=PPC64
# PPC64:      bl {{.*}} <__SCT__a+0x8>
# PPC64-NEXT: ld 2, 16(13)
# RUN: not %ld.lld --static-call-sites -e 0 ppc64.o -o err.out 2>&1 | FileCheck %s --check-prefix=TOC
# TOC: error: ppc64.o:(.text+0x10): call to static call 'a' cannot restore the TOC pointer: no absolute symbol '__static_call_toc_offset'
# RUN: %ld.lld -r --static-call-sites ppc64.o -o ppc64-module.o
# RUN: llvm-objdump -dr ppc64-module.o | FileCheck %s --check-prefix=PPC64-MODULE
# RUN: llvm-readelf -rW ppc64-module.o | FileCheck %s --check-prefix=PPC64-MODULE-TABLE
# PPC64-MODULE:      R_PPC64_REL24 __SCT__a
# PPC64-MODULE-NEXT: nop
# PPC64-MODULE-TABLE:      R_PPC64_REL32 {{.*}} .text + 10
# PPC64-MODULE-TABLE-NEXT: R_PPC64_REL32 {{.*}} __SCK__a + 0

## --gc-sections keeps the keys, although a caller of a thunk does not refer to its key.
# RUN: sed /discard.addressable/,\$d arm64.s | llvm-mc -filetype=obj -triple=aarch64 -o arm64-gc.o
# RUN: %ld.lld --static-call-sites --gc-sections -T vmlinux.lds arm64-gc.o arm64-thunks.o -o gc
# RUN: llvm-objdump -s -j .static_call_sites gc | FileCheck %s --check-prefix=ARM64-TABLE

# RUN: sed /data/,\$d ppc64.s | sed '/globl __SCT__a/,/localentry/d' >ppc64-gc.s
# RUN: echo '.section .discard.addressable,"aw"; .quad __SCK__a' >>ppc64-gc.s
# RUN: llvm-mc -filetype=obj -triple=powerpc64le ppc64-gc.s -o ppc64-gc.o
# RUN: %ld.lld -r --static-call-sites --gc-sections -u caller ppc64-gc.o -o ppc64-gc-module.o
# RUN: llvm-readelf -rW ppc64-gc-module.o | FileCheck %s --check-prefix=PPC64-GC
# PPC64-GC:      R_PPC64_REL32 {{.*}} .text + 8
# PPC64-GC-NEXT: R_PPC64_REL32 {{.*}} __SCK__a + 0
## The script discards a key.
# RUN: echo 'SECTIONS { /DISCARD/ : { *(.data) } }' >drop-key.lds
# RUN: not %ld.lld -r --static-call-sites -T drop-key.lds ppc64.o -o err.out 2>&1 | FileCheck %s --check-prefix=DROP-KEY
# DROP-KEY: error: ppc64.o: undefined static call key '__SCK__a'

## A module is linked in two steps; one of them makes the table.
# RUN: %ld.lld -r arm64.o -o once.o
# RUN: %ld.lld -r --static-call-sites once.o -o late.o
# RUN: llvm-readelf -rW late.o | FileCheck %s --check-prefix=STEPS
# RUN: %ld.lld -r module.o -o early.o
# RUN: llvm-readelf -rW early.o | FileCheck %s --check-prefix=STEPS
# STEPS: '.rela.static_call_sites' {{.*}} contains 6 entries
# RUN: not %ld.lld -r --static-call-sites module.o -o err.out 2>&1 | FileCheck %s --check-prefix=TWICE
# TWICE: error: module.o:(.static_call_sites): the linker makes this section; remove it, or link without --static-call-sites

## Errors are the same as with thunks that the linker makes.
# RUN: llvm-mc -filetype=obj -triple=aarch64 bad.s -o bad.o
# RUN: not %ld.lld --static-call-sites arm64.o arm64-thunks.o bad.o -o err.out 2>&1 | FileCheck %s --check-prefix=BAD --implicit-check-not=error:
# BAD-DAG: error: bad.o:(.text+0x0): branch into the middle of static call 'a'
# BAD-DAG: error: bad.o:(.text+0x4): relocation R_AARCH64_CONDBR19 refers to static call 'a', which can only be called and jumped to
# BAD-DAG: error: {{.*}}: undefined static call key '__SCK__none'
# RUN: not %ld.lld --static-call-sites arm64.o -o err.out 2>&1 | FileCheck %s --check-prefix=UNDEFINED
# UNDEFINED:     error: undefined symbol: __SCT__a
# UNDEFINED-NOT: made by the linker
# RUN: not %ld.lld --static-call-sites --static-calls arm64.o -o err.out 2>&1 | FileCheck %s --check-prefix=BOTH
# BOTH: error: --static-call-sites is for thunks that the input defines; remove it or --static-calls{{$}}
# RUN: not %ld.lld -r --static-call-sites --static-calls-relocatable arm64.o -o err.out 2>&1 | FileCheck %s --check-prefix=BOTH-R
# BOTH-R: error: --static-call-sites is for thunks that the input defines; remove it or --static-calls-relocatable{{$}}
# RUN: llvm-mc -filetype=obj -triple=riscv64 riscv.s -o riscv.o
# RUN: not %ld.lld --static-call-sites riscv.o -o err.out 2>&1 | FileCheck %s --check-prefix=RISCV
# RISCV: error: riscv.o: --static-call-sites does not support this target
## Keys in a shared object, and keys whose alignment leaves no low bits for the table.
# RUN: llvm-mc -filetype=obj -triple=aarch64 key.s -o key.o
# RUN: %ld.lld -shared key.o -o key.so
# RUN: not %ld.lld --static-call-sites -e 0 bad.o key.so -o err.out 2>&1 | FileCheck %s --check-prefix=SHARED
# SHARED: error: bad.o: undefined static call key '__SCK__none'
# RUN: sed s/p2align/byte/ key.s | llvm-mc -filetype=obj -triple=aarch64 -o odd.o
# RUN: not %ld.lld --static-call-sites -e 0 bad.o odd.o -o err.out 2>&1 | FileCheck %s --check-prefix=ODD
# RUN: not %ld.lld -r --static-call-sites bad.o odd.o -o err.out 2>&1 | FileCheck %s --check-prefix=ODD
# ODD: error: odd.o:(.data+0x1): static call key '__SCK__none' is not aligned to 8 bytes
## A damaged relocation, which -r copies without checking it.
# RUN: yaml2obj -D MACHINE=EM_PPC64 -D TYPE=R_PPC64_REL24 outside.yaml -o outside-ppc64.o
# RUN: not %ld.lld -r --static-call-sites outside-ppc64.o -o err.out 2>&1 | FileCheck %s --check-prefix=OUTSIDE
# OUTSIDE: error: outside-ppc64.o:(.text+0xfffffffffffffffc): relocation R_PPC64_REL24 refers to static call 'x', which can only be called and jumped to
# RUN: yaml2obj -D MACHINE=EM_AARCH64 -D TYPE=R_AARCH64_CALL26 outside.yaml -o outside-aarch64.o
# RUN: not %ld.lld -r --static-call-sites outside-aarch64.o -o err.out 2>&1 | FileCheck %s --check-prefix=OUTSIDE-ARM
# OUTSIDE-ARM: error: outside-aarch64.o:(.text+0xfffffffffffffffc): relocation R_AARCH64_CALL26 refers to static call 'x', which can only be called and jumped to
## On x86-64 the byte before a field shows whether it belongs to a branch. This field is
## at the start of its section.
# RUN: yaml2obj -D MACHINE=EM_X86_64 -D TYPE=R_X86_64_PLT32 outside.yaml -o outside-x86.o
# RUN: %ld.lld -r --static-call-sites outside-x86.o -o outside-x86-r.o
# RUN: llvm-readelf -SW outside-x86-r.o | FileCheck %s --check-prefix=OUTSIDE-X86
# OUTSIDE-X86-NOT: static_call_sites
# RUN: not ls err.out

#--- vmlinux.lds
SECTIONS {
  .text 0x10000 : { *(.text) *(.static_call.text) }
  .static_call_sites 0x20000 : { __start_static_call_sites = .; KEEP(*(.static_call_sites)) }
  .data 0x20028 : { *(.data) }
  .rodata : { *(.rodata) }
}
#--- arm64.s
.globl _start
_start:
  bl __SCT__a
  b __SCT__b
  bl __SCT__a
## __STATIC_CALL_ADDRESSABLE()
.section .discard.addressable,"aw"
  .quad __SCK__a
#--- arm64-thunks.s
## arch/arm64/include/asm/static_call.h
.irp name, a, b
.section .static_call.text,"ax"
.globl __SCT__\name
.type __SCT__\name, @function
__SCT__\name:
  hint 34
  adrp x16, 1f
  ldr x16, [x16, :lo12:1f]
  br x16
.size __SCT__\name, . - __SCT__\name
.section .rodata,"a"
.p2align 3
1: .quad target
.endr
.text
target:
  ret
.data
.p2align 3
.globl __SCK__a, __SCK__b
__SCK__a:
  .quad target, 1
__SCK__b:
  .quad target, 1
#--- x86.s
  call __SCT__a
  jmp __SCT__a
.globl target
target:
  ret
.section .static_call.text,"ax"
.globl __SCT__a
__SCT__a:
  jmp target
  ud1 %esp, %ecx
.data
.p2align 3
.globl __SCK__a
__SCK__a:
  .quad target, 1
#--- x86-alike.s
  call __SCT__b
.section .static_call.text,"ax"
.globl __SCT__b
__SCT__b:
  jmp target
  ud1 %esp, %ecx
.data
.p2align 3
.globl __SCK__b
__SCK__b:
  .quad target, 1
#--- ppc64.s
.abiversion 2
## The thunk of a module, or of a kernel whose linker does not make thunks.
.globl __SCT__a
.type __SCT__a, @function
__SCT__a:
  addis 2, 12, .TOC.-__SCT__a@ha
  addi 2, 2, .TOC.-__SCT__a@l
.localentry __SCT__a, .-__SCT__a
  blr
  nop
.globl caller
caller:
  bl __SCT__a
  nop
.data
.p2align 3
.globl __SCK__a
__SCK__a:
  .quad 0, 1
#--- bad.s
  bl __SCT__a + 4
  b.eq __SCT__a
  bl __SCT__none
.globl __SCT__none
__SCT__none:
  ret
#--- key.s
.data
.p2align 3
.globl __SCK__none
__SCK__none:
  .quad 0, 1
#--- outside.yaml
--- !ELF
FileHeader: { Class: ELFCLASS64, Data: ELFDATA2LSB, Type: ET_REL, Machine: [[MACHINE]] }
Sections:
  - { Name: .text, Type: SHT_PROGBITS, Flags: [ SHF_ALLOC, SHF_EXECINSTR ], Size: 16 }
  - Name: .rela.text
    Type: SHT_RELA
    Info: .text
    Relocations: [ { Offset: 0xfffffffffffffffc, Symbol: __SCT__x, Type: [[TYPE]] } ]
Symbols:
  - { Name: __SCT__x, Binding: STB_GLOBAL }
#--- riscv.s
.globl __SCT__a
__SCT__a:
  ret
