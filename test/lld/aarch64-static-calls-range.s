# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## A target just in reach of the thunk's branch, and one that is one instruction
## further. The same for the key's page. A key out of reach is an error.

# RUN: rm -rf %t && split-file %s %t && cd %t
# RUN: llvm-mc -filetype=obj -triple=aarch64 a.s -o a.o

## The branch is at thunk + 4, and reaches 0x7fffffc up and 0x8000000 down.
# RUN: sed 's/FAR/0x118000000/; s/TABLE/0x120000000/; s/DATA/0x120010000/' lds > up.lds
# RUN: %ld.lld --static-calls -T up.lds a.o -o up
# RUN: llvm-objdump -d --no-show-raw-insn --section=.static_call.text up | FileCheck %s --check-prefix=DIRECT
# RUN: sed 's/FAR/0x118000004/; s/TABLE/0x120000000/; s/DATA/0x120010000/' lds > up1.lds
# RUN: %ld.lld --static-calls -T up1.lds a.o -o up1
# RUN: llvm-objdump -d --no-show-raw-insn --section=.static_call.text up1 | FileCheck %s --check-prefix=INDIRECT
# RUN: sed 's/FAR/0x108000004/; s/TABLE/0x120000000/; s/DATA/0x120010000/' lds > down.lds
# RUN: %ld.lld --static-calls -T down.lds a.o -o down
# RUN: llvm-objdump -d --no-show-raw-insn --section=.static_call.text down | FileCheck %s --check-prefix=DIRECT
# RUN: sed 's/FAR/0x108000000/; s/TABLE/0x120000000/; s/DATA/0x120010000/' lds > down1.lds
# RUN: %ld.lld --static-calls -T down1.lds a.o -o down1
# RUN: llvm-objdump -d --no-show-raw-insn --section=.static_call.text down1 | FileCheck %s --check-prefix=INDIRECT

# DIRECT:        <__SCT__x>:
# DIRECT-NEXT:     bti c
# DIRECT-NEXT:     b 0x1
# INDIRECT:      <__SCT__x>:
# INDIRECT-NEXT:   bti c
# INDIRECT-NEXT:   nop
# INDIRECT-NEXT:   adrp x16

## adrp reaches 0xfffff000 up and 0x100000000 down. The tables are in between.
# RUN: sed 's/FAR/0x110010000/; s/TABLE/0x18fffffe8/; s/DATA/0x20fffffe8/' lds > page-up.lds
# RUN: %ld.lld --static-calls -T page-up.lds a.o -o page-up
# RUN: llvm-objdump -d --no-show-raw-insn --section=.static_call.text page-up | FileCheck %s --check-prefix=PAGE-UP
# PAGE-UP:       b 0x110010000
# PAGE-UP-NEXT:  adrp x16, 0x20ffff000
# PAGE-UP-NEXT:  ldr x16, [x16, #0xfe8]
# RUN: sed 's/FAR/0x110010000/; s/TABLE/0x190001000/; s/DATA/0x210000000/' lds > page-up1.lds
# RUN: not %ld.lld --static-calls -T page-up1.lds a.o -o page-up1 2>&1 | FileCheck %s --check-prefix=ERR
# RUN: not ls page-up1
# RUN: sed 's/FAR/0x110010000/; s/TABLE/0x90000100/; s/DATA/0x10000ff8/' lds > page-down.lds
# RUN: %ld.lld --static-calls -T page-down.lds a.o -o page-down
# RUN: llvm-objdump -d --no-show-raw-insn --section=.static_call.text page-down | FileCheck %s --check-prefix=PAGE-DOWN
# PAGE-DOWN:      b 0x110010000
# PAGE-DOWN-NEXT: adrp x16, 0x10000000
# PAGE-DOWN-NEXT: ldr x16, [x16, #0xff8]
# RUN: sed 's/FAR/0x110010000/; s/TABLE/0x90000000/; s/DATA/0xffffff8/' lds > page-down1.lds
# RUN: not %ld.lld --static-calls -T page-down1.lds a.o -o page-down1 2>&1 | FileCheck %s --check-prefix=ERR
# RUN: not ls page-down1
# ERR: error: a.o:(.data+0x0): static call key '__SCK__x' is out of reach of its thunk at 0x110000000

## Tables have 32-bit offsets: 0x7fffffff up, 0x80000000 down.
# RUN: sed 's/FAR/0x110010000/; s/TABLE/0x190000000/; s/DATA/0x110020000/' lds > table.lds
# RUN: %ld.lld --static-calls -T table.lds a.o -o table
# RUN: sed 's/FAR/0x110010000/; s/TABLE/0x190000004/; s/DATA/0x110020000/' lds > table1.lds
# RUN: not %ld.lld --static-calls -T table1.lds a.o -o table1 2>&1 | FileCheck %s --check-prefix=TABLE
# RUN: not ls table1
# TABLE: error: static call table at 0x190000004 is out of reach of 0x110000000

#--- a.s
.globl _start, __SCK__x
_start:
  bl __SCT__x
.section .far,"ax"
far:
  ret
.data
.p2align 3
__SCK__x:
  .xword .far
  .xword __SCT__x, 0

#--- lds
PHDRS { a PT_LOAD; b PT_LOAD; c PT_LOAD; d PT_LOAD; }
SECTIONS {
  .static_call.text 0x110000000 : { *(.static_call.text) } :a
  .text : { *(.text) } :a
  .tables TABLE : { *(.static_call_tramp_key) *(.static_call_sites) *(.note.*) } :b
  .data DATA : { *(.data) } :c
  .far FAR : { *(.far) } :d
}
