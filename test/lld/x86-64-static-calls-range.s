# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## A target just in reach of the thunk's jmp, and one that is a byte further. The same
## for the key. A key out of reach is an error.

# RUN: rm -rf %t && split-file %s %t && cd %t
# RUN: llvm-mc -filetype=obj -triple=x86_64 a.s -o a.o

## The displacement counts from thunk + 5 and is at most 0x7fffffff.
# RUN: sed 's/FAR/0x90000004/; s/DATA/0x30000000/' lds > up.lds
# RUN: %ld.lld --static-calls -T up.lds a.o -o up
# RUN: llvm-objdump -d --section=.static_call.text up | FileCheck %s --check-prefix=DIRECT
# RUN: sed 's/FAR/0x90000005/; s/DATA/0x30000000/' lds > up1.lds
# RUN: %ld.lld --static-calls -T up1.lds a.o -o up1
# RUN: llvm-objdump -d --section=.static_call.text up1 | FileCheck %s --check-prefix=INDIRECT

## The displacement is at least -0x80000000.
# RUN: sed 's/TRAMP/0x90000000/; s/FAR/0x10000005/; s/DATA/0x60000000/' down-lds > down.lds
# RUN: %ld.lld --static-calls -T down.lds a.o -o down
# RUN: llvm-objdump -d --section=.static_call.text down | FileCheck %s --check-prefix=DIRECT
# RUN: sed 's/TRAMP/0x90000000/; s/FAR/0x10000004/; s/DATA/0x60000000/' down-lds > down1.lds
# RUN: %ld.lld --static-calls -T down1.lds a.o -o down1
# RUN: llvm-objdump -d --section=.static_call.text down1 | FileCheck %s --check-prefix=INDIRECT

# DIRECT:        <__SCT__x>:
# DIRECT-NEXT:     e9
# INDIRECT:      <__SCT__x>:
# INDIRECT-NEXT:   a9 00 00 00 00
# INDIRECT-NEXT:   ff 25

## The key is 0x7fffffff from thunk + 12, rounded down to the key's alignment.
# RUN: sed 's/FAR/0x10100000/; s/DATA/0x90000008/' lds > key.lds
# RUN: %ld.lld --static-calls -T key.lds a.o -o key
# RUN: sed 's/FAR/0x10100000/; s/DATA/0x90000010/' lds > key1.lds
# RUN: rm -f key1
# RUN: not %ld.lld --static-calls -T key1.lds a.o -o key1 2>&1 | FileCheck %s --check-prefix=ERR
# RUN: not ls key1
# ERR: error: a.o:(.data+0x0): static call key '__SCK__x' is out of reach of its thunk at 0x10000000

#--- a.s
.globl _start, __SCK__x
_start:
  call __SCT__x
.section .far,"ax"
far:
  ret
.data
.p2align 3
__SCK__x:
  .quad .far
  .quad __SCT__x, 0

#--- lds
PHDRS { a PT_LOAD; b PT_LOAD; c PT_LOAD; }
SECTIONS {
  .static_call.text 0x10000000 : { *(.static_call.text) } :a
  .text : { *(.text) } :a
  .data DATA : { *(.data) } :b
  .far FAR : { *(.far) } :c
}

#--- down-lds
PHDRS { a PT_LOAD; b PT_LOAD; c PT_LOAD; }
SECTIONS {
  .far FAR : { *(.far) } :a
  .data DATA : { *(.data) } :b
  .static_call.text TRAMP : { *(.static_call.text) } :c
  .text : { *(.text) } :c
}
