# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## The linker refuses objects with different Patchbay ABIs, and objects with an unknown
## ABI, whatever the options.

# RUN: rm -rf %t && split-file %s %t && cd %t
# RUN: llvm-mc -filetype=obj -triple=x86_64 start.s -o start.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 --defsym version=1 note.s -o v1.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 --defsym version=2 note.s -o v2.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 --defsym version=3 note.s -o v3.o
# RUN: cp v2.o again.o

# RUN: %ld.lld start.o v2.o again.o -o ok
# RUN: llvm-readelf -n ok | FileCheck %s --check-prefix=OK
# OK:      Patchbay 0x00000008
# OK:      Patchbay 0x00000008

# RUN: not %ld.lld start.o v2.o again.o v1.o -o mixed.out 2>&1 | FileCheck %s --check-prefix=MIXED --implicit-check-not=error
# RUN: not %ld.lld -r start.o v2.o v1.o -o mixed.out 2>&1 | FileCheck %s --check-prefix=MIXED --implicit-check-not=error
# MIXED: error: v1.o: Patchbay ABI version 1 is incompatible with version 2 of v2.o; compile both with the same pass plugin

# RUN: not %ld.lld start.o v1.o -o unknown.out 2>&1 | FileCheck %s --check-prefix=UNKNOWN --implicit-check-not=error
# UNKNOWN: error: v1.o: Patchbay ABI version 1 is unknown, this linker has version 2; compile the file with the pass plugin of this release

## Each file is reported once, in the order of the command line.
# RUN: not %ld.lld start.o v1.o v2.o v3.o -o order.out 2>&1 | FileCheck %s --check-prefix=ORDER --implicit-check-not=error
# ORDER:      error: v1.o: Patchbay ABI version 1 is unknown
# ORDER-NEXT: error: v2.o: Patchbay ABI version 2 is incompatible with version 1 of v1.o
# ORDER-NEXT: error: v3.o: Patchbay ABI version 3 is incompatible with version 1 of v1.o

## A file made by -r has the notes of its inputs, and is reported once. Stock LLD does not check.
# RUN: %stock_lld -r v2.o v1.o v3.o -o both.o
# RUN: not %ld.lld start.o both.o -o both.out 2>&1 | FileCheck %s --check-prefix=BOTH --implicit-check-not=error
# BOTH: error: both.o: Patchbay ABI version 1 is incompatible with version 2 of both.o

## A file with several note sections is also reported once.
# RUN: llvm-mc -filetype=obj -triple=x86_64 several.s -o several.o
# RUN: not %ld.lld start.o several.o -o several.out 2>&1 | FileCheck %s --check-prefix=SEVERAL
# SEVERAL: error: several.o: Patchbay ABI version 1 is incompatible with version 2 of several.o

## An archive member that is not extracted is ignored.
# RUN: llvm-ar rc lib.a v1.o
# RUN: %ld.lld start.o v2.o lib.a -o ok

## Notes of other owners and other types are ignored.
# RUN: llvm-mc -filetype=obj -triple=x86_64 other.s -o other.o
# RUN: %ld.lld start.o v2.o other.o -o ok

# RUN: llvm-mc -filetype=obj -triple=x86_64 short.s -o short.o
# RUN: not %ld.lld start.o short.o -o short.out 2>&1 | FileCheck %s --check-prefix=SHORT
# SHORT: error: short.o:(.note.patchbay+0x0): malformed Patchbay ABI note
# RUN: llvm-mc -filetype=obj -triple=x86_64 long.s -o long.o
# RUN: not %ld.lld start.o long.o -o long.out 2>&1 | FileCheck %s --check-prefix=LONG
# LONG: error: long.o:(.note.patchbay+0x0): malformed Patchbay ABI note
# RUN: llvm-mc -filetype=obj -triple=x86_64 desc.s -o desc.o
# RUN: not %ld.lld start.o desc.o -o desc.out 2>&1 | FileCheck %s --check-prefix=DESC
# DESC: error: desc.o:(.note.patchbay+0x0): malformed Patchbay ABI note

# RUN: not ls *.out

## On a big-endian target the note is big-endian.
# RUN: llvm-mc -filetype=obj -triple=powerpc64 --defsym version=1 note.s -o be1.o
# RUN: llvm-mc -filetype=obj -triple=powerpc64 --defsym version=2 note.s -o be2.o
# RUN: %ld.lld -shared be2.o -o be.so
# RUN: not %ld.lld -shared be2.o be1.o -o /dev/null 2>&1 | FileCheck %s --check-prefix=BE
# BE: error: be1.o: Patchbay ABI version 1 is incompatible with version 2 of be2.o

#--- start.s
.globl _start
_start:
  ret
#--- note.s
.section .note.patchbay,"a",@note
.p2align 2
.long 9, 8, 1
.asciz "Patchbay"
.p2align 2
.long version, 1
.globl sym
.weak sym
sym:
#--- other.s
.section .note.patchbay,"a",@note
.p2align 2
.long 9, 8, 2
.asciz "Patchbay"
.p2align 2
.long 7, 7
.long 4, 8, 1
.asciz "GNU"
.long 7, 7
#--- short.s
.section .note.patchbay,"a",@note
.long 9, 8
#--- long.s
.section .note.patchbay,"a",@note
.long 9, 80, 1
.asciz "Patchbay"
.p2align 2
.long 1, 1
#--- desc.s
.section .note.patchbay,"a",@note
.long 9, 4, 1
.asciz "Patchbay"
.p2align 2
.long 1

#--- several.s
.macro note version
  .section .note.patchbay,"",@note,unique,\version
  .long 9, 8, 1
  .asciz "Patchbay"
  .p2align 2
  .long \version, 1
.endm
note 2
note 1
