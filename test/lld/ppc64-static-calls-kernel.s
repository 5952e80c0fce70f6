# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## --static-calls-kernel links static calls that are made as by the macros of
## include/linux/static_call.h and the kernel's linker script, like vmlinux.

# RUN: rm -rf %t && split-file %s %t && cd %t
# RUN: llvm-mc -filetype=obj -triple=powerpc64le a.s -o a.o
# RUN: llvm-mc -filetype=obj -triple=powerpc64le toc.s -o toc.o
# DEFINE: %{link} = %ld.lld --static-calls-kernel -pie --no-dynamic-linker -z notext -z norelro --orphan-handling=error -e _stext

# RUN: %{link} -T vmlinux.lds a.o toc.o -o vmlinux 2>&1 | count 0
# RUN: llvm-readelf -SsW vmlinux | FileCheck %s --check-prefix=SECTIONS
# SECTIONS-NOT: note.patchbay
# SECTIONS:     .rodata PROGBITS {{.*}} WA
# SECTIONS-NOT: note.patchbay
# SECTIONS-LABEL: '.symtab'
# SECTIONS-DAG: 56 FUNC LOCAL HIDDEN [<other: 0x62>] {{.*}} __SCT__near
# SECTIONS-DAG: __stop_static_call_sites

## The symbol with the offset of the TOC pointer may have another name.
# RUN: llvm-objcopy --redefine-sym __static_call_toc_offset=my_toc toc.o my_toc.o
# RUN: not %{link} -T vmlinux.lds a.o my_toc.o -o my_toc 2>&1 | FileCheck %s --check-prefix=NO-TOC
# NO-TOC: cannot restore the TOC pointer: no absolute symbol '__static_call_toc_offset' gives its offset from r13
# RUN: %{link} --static-calls-toc-symbol=my_toc -T vmlinux.lds a.o my_toc.o -o my_toc
# RUN: llvm-objdump -d --no-show-raw-insn my_toc | FileCheck %s

## Callers in the kernel enter at the local entry point, and load the TOC pointer from
## the PACA in place of the nop; other nops stay.
# RUN: llvm-objdump -d --no-show-raw-insn vmlinux | FileCheck %s
# CHECK-LABEL: <_stext>:
# CHECK:         bl 0x[[#%x,NEAR:]] <__SCT__near+0x8>
# CHECK-NEXT:    ld 2, 16(13)
# CHECK-NEXT:    bl {{.*}} <__SCT__null+0x8>
# CHECK-NEXT:    ld 2, 16(13)
# CHECK-NEXT:    bl {{.*}} <target+0x8>
# CHECK-NEXT:    nop
# CHECK-LABEL: <caller2>:
# CHECK-NEXT:    bl {{.*}} <__SCT__ret0+0x8>
# CHECK-NEXT:    ld 2, 16(13)
# CHECK-NEXT:    bl {{.*}} <__SCT__far+0x8>
# CHECK-NEXT:    ld 2, 16(13)
# CHECK-NEXT:    bl {{.*}} <__SCT__section+0x8>
# CHECK-NEXT:    ld 2, 16(13)

## The parts of the thunk that the kernel relies on.
# CHECK-LABEL: <__SCT__near>:
# CHECK-NEXT:    addis 2, 12, 2
# CHECK-NEXT:    addi 2, 2,
# CHECK-NEXT:    b {{.*}} <target+0x8>
# CHECK-NEXT:    addis 12, 2, {{.*}}
# CHECK-NEXT:    ld 12, {{.*}}(12)
# CHECK-NEXT:    mtctr 12
# CHECK-NEXT:    bctr
# CHECK-NEXT:    li 3, 0
# CHECK-NEXT:    blr
# CHECK-NEXT:    addis 12, 2, {{.*}}
# CHECK-NEXT:    addi 12, 12,
# CHECK-NEXT:    b {{.*}} <__SCT__near+0x14>
# CHECK-LABEL: <__SCT__null>:
# CHECK:         b {{.*}} <__SCT__null+0x20>
# CHECK-LABEL: <__SCT__ret0>:
# CHECK:         b {{.*}} <__SCT__ret0+0x1c>
## A target out of a branch's reach, or without a symbol: the thunk jumps through r12.
# CHECK-LABEL: <__SCT__far>:
# CHECK:         b {{.*}} <__SCT__far+0x24>
# CHECK-LABEL: <__SCT__section>:
# CHECK:         b {{.*}} <__SCT__section+0x24>

## The script computes the addresses in the thunks: .TOC. from the global entry point,
## the literal, and the far target.
# RUN: llvm-nm vmlinux >symbols
# RUN: %python thunk.py vmlinux symbols | FileCheck %s --check-prefix=TRAMP
# TRAMP: __SCT__near: toc right, literal right, target target
# TRAMP: __SCT__far: toc right, literal right, target far_target
# TRAMP: __SCT__section: toc right, literal right, target static_target

## The table of calls is sorted by key, in the kernel's format. The kernel's own sections
## follow: .static_call_tramp_key with a thunk and its key, ___ksymtab with a thunk.
# RUN: llvm-objdump -s -j .rodata vmlinux | FileCheck %s --check-prefix=TABLE
# TABLE:      Contents of section .rodata:
# TABLE-NEXT: 20000 0800ffff 3c000000 0800ffff 44000000
# TABLE-NEXT: 20010 1400ffff 4c000000 1400ffff 54000000
# TABLE-NEXT: 20020 1400ffff 5c000000 3800ffff 14000000
# TABLE-NEXT: 20030 3000ffff
## A table of security modules has the thunk's address.
# RUN: llvm-readelf -rW vmlinux | FileCheck %s --check-prefix=RELOC
# RELOC: 20038 {{.*}} R_PPC64_RELATIVE {{ *}}10060

## The output is the same with -O2, which redirects branches, and with threads.
# RUN: %{link} -O2 --threads=2 -T vmlinux.lds a.o toc.o -o vmlinux2
# RUN: llvm-objdump -d -j .text -j .text.far vmlinux >1
# RUN: llvm-objdump -d -j .text -j .text.far vmlinux2 >2
# RUN: tail -n +3 1 >1.code && tail -n +3 2 >2.code && cmp 1.code 2.code

## The table exists only if the script places it. Symbols alone do not create the table.
# RUN: sed '/static_call_sites/d' vmlinux.lds >no-table.lds
# RUN: %{link} -T no-table.lds a.o toc.o -o no-table --fatal-warnings
# RUN: llvm-readelf -SsW no-table | FileCheck %s --check-prefix=NO-TABLE
# NO-TABLE-NOT: static_call_sites

## --gc-sections keeps only the keys of calls.
# RUN: %{link} --gc-sections -T vmlinux.lds a.o toc.o -o gc
# RUN: llvm-nm gc | FileCheck %s --check-prefix=GC
# GC-NOT: unused
# GC:     __SCK__near
# GC-NOT: unused

## The option alone is enough. A later --no-static-calls disables the option.
# RUN: not %{link} --no-static-calls -T vmlinux.lds a.o toc.o -o off 2>&1 | FileCheck %s --check-prefix=OFF
# OFF: error: undefined symbol: __SCT__near

#--- vmlinux.lds
SECTIONS {
  . = 0x10000;
  .text : { *(.text) *(.static_call.text) }
  . = 0x20000;
  .rodata : {
    __start_static_call_sites = .; KEEP(*(.static_call_sites)) __stop_static_call_sites = .;
    __start_static_call_tramp_key = .; KEEP(*(.static_call_tramp_key)) __stop_static_call_tramp_key = .;
    KEEP(*(___ksymtab*))
    *(.data..ro_after_init)
  }
  .data : { *(.data .data.*) *(.toc) }
  .got : { *(.got) *(.got.plt) *(.plt) *(.iplt) *(.branch_lt) }
  .dynsym : { *(.dynsym) } .dynstr : { *(.dynstr) } .dynamic : { *(.dynamic) }
  .hash : { *(.hash) } .gnu.hash : { *(.gnu.hash) } .rela.dyn : { *(.rela*) } .relr.dyn : { *(.relr.dyn) }
  . = 0x4000000;
  .text.far : { *(.text.far) }
  .symtab 0 : { *(.symtab) } .strtab 0 : { *(.strtab) } .shstrtab 0 : { *(.shstrtab) }
  .comment 0 : { *(.comment) } .bss : { *(.bss) }
}
#--- toc.s
## arch/powerpc/kernel: PACATOC of asm-offsets.h.
.globl __static_call_toc_offset
.set __static_call_toc_offset, 16
#--- a.s
.abiversion 2
.macro FUNCTION name
.p2align 2
.globl \name
.type \name, @function
\name:
  addis 2, 12, .TOC.-\name@ha
  addi 2, 2, .TOC.-\name@l
.localentry \name, .-\name
.endm
FUNCTION _stext
  bl __SCT__near
  nop
  bl __SCT__null
  nop
  bl target
  nop
  blr
.globl caller2
caller2:
  bl __SCT__ret0
  nop
  bl __SCT__far
  nop
  bl __SCT__section
  nop
  blr
FUNCTION target
  blr
FUNCTION __static_call_return0
  li 3, 0
  blr
static_target:
  blr
.section .text.far, "ax"
FUNCTION far_target
  blr
## DEFINE_STATIC_CALL(), with struct static_call_key of two words.
.macro KEY name, func
.section .data.\name, "aw"
.p2align 3
.globl __SCK__\name
.type __SCK__\name, @object
__SCK__\name:
  .quad \func
  .quad 1
.size __SCK__\name, 16
.endm
KEY near, target
KEY null, 0
KEY ret0, __static_call_return0
KEY far, far_target
KEY section, .text+(static_target-_stext)
KEY unused, target
## EXPORT_STATIC_CALL_TRAMP()
.section .static_call_tramp_key, "a"
  .long __SCT__near - .
  .long __SCK__near - .
.section ___ksymtab+__SCT__near, "a"
  .long __SCT__near - .
## security/security.c
.section .data..ro_after_init, "aw"
.p2align 3
  .quad __SCT__near
#--- thunk.py
# Executes the instructions of a thunk that compute r2 and r12.
import struct
import sys


def signed(half):
    return half - 0x10000 if half & 0x8000 else half


symbols = {}
for line in open(sys.argv[2]):
    address, kind, name = line.split()
    symbols[name] = int(address, 16)
data = open(sys.argv[1], "rb").read()
header = struct.unpack_from("<16sHHIQQQ", data)
offset = struct.unpack_from("<H", data, 54)
loads = [struct.unpack_from("<IIQQQQQQ", data, header[5] + 56 * i)
         for i in range(struct.unpack_from("<H", data, 56)[0])]


def words(address):
    at = next(address - load[3] + load[2] for load in loads
              if load[0] == 1 and load[3] <= address < load[3] + load[5])
    return struct.unpack_from("<12I", data, at)


def pair(word, at):
    return (signed(word[at] & 0xffff) << 16) + signed(word[at + 1] & 0xffff)


names = {address: name for name, address in symbols.items()}
bases = set()
for name in ("near", "far", "section"):
    thunk = symbols["__SCT__" + name]
    word = words(thunk)
    base = thunk + pair(word, 0)
    bases.add(base)
    literal = base + pair(word, 3)
    target = base + pair(word, 9)
    print(f"__SCT__{name}: toc {'right' if len(bases) == 1 else 'wrong'},",
          f"literal {'right' if literal == thunk + 48 else 'wrong'},",
          f"target {names.get(target, hex(target))}")
