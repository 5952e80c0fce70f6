# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
## The output has a note, a table of thunks and a table of branches. -Map lists them.

# RUN: rm -rf %t && split-file %s %t && cd %t
# RUN: llvm-mc -filetype=obj -triple=x86_64 a.s -o a.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 ends.s -o ends.o
# RUN: llvm-mc -filetype=obj -triple=x86_64 lib.s -o lib.o
# RUN: %ld.lld -shared lib.o -o lib.so

# RUN: %ld.lld --static-calls -T a.lds a.o -o a -Map=a.map
# RUN: llvm-readelf -lnW a | FileCheck %s --check-prefix=NOTE
# RUN: llvm-objdump -s --section=.static_call_tramp_key --section=.static_call_sites --section=.note.patchbay.static_calls a | FileCheck %s
# RUN: FileCheck %s --check-prefix=MAP < a.map

# NOTE: NOTE {{.*}} R 0x4
# NOTE: Patchbay 0x00000018

## Thunks at 0x11000 (key 0x20000) and 0x11018 (key 0x20018).
# CHECK-LABEL: .static_call_tramp_key:
# CHECK-NEXT:  12000 00f0ffff fcdf0000 10f0ffff 0ce00000

## Sorted by key, then by address; a jump has bit 0 of the key set: 0x10000 call a,
## 0x10005 jne a, 0x1000b jmp b, 0x10010 call b in another section.
# CHECK-LABEL: .static_call_sites:
# CHECK-NEXT:  13000 00d0ffff fccf0000 fdcfffff f5cf0000
# CHECK-NEXT:  13010 fbcfffff 05d00000 f8cfffff fccf0000

## The note has ABI version 2, then offset and number of the thunks and of the branches.
# CHECK-LABEL: .note.patchbay.static_calls:
# CHECK-NEXT:  14000 09000000 18000000 02000000 50617463
# CHECK-NEXT:  14010 68626179 00000000 02000000 e4dfffff
# CHECK-NEXT:  14020 02000000 dcefffff 04000000 00000000

# MAP: 11000 {{.*}} <internal>:(.static_call.text)
# MAP-NEXT: 11000 {{.*}} __SCT__a
# MAP-NEXT: 11018 {{.*}} <internal>:(.static_call.text)
# MAP-NEXT: 11018 {{.*}} __SCT__b

## The kernel's symbols for the ends of the table, even of an empty one.
# RUN: %ld.lld --static-calls -T a.lds a.o ends.o -o ends
# RUN: llvm-nm ends | FileCheck %s --check-prefix=ENDS
# ENDS-DAG: 0000000000013000 {{.}} __start_static_call_sites
# ENDS-DAG: 0000000000013020 {{.}} __stop_static_call_sites
# RUN: %ld.lld --static-calls ends.o -o ends.empty
# RUN: llvm-nm ends.empty | FileCheck %s --check-prefix=EMPTY
# EMPTY:      [[ADDR:[0-9a-f]+]] {{.}} __start_static_call_sites
# EMPTY-NEXT: [[ADDR]] {{.}} __stop_static_call_sites

## No tables without static calls.
# RUN: %ld.lld --static-calls -shared lib.o -o none
# RUN: llvm-readelf -S none | FileCheck %s --check-prefix=NONE
# NONE-NOT: static_call

## The key is in another link unit: offsets point to its GOT entry, and have bit 2 set.
# RUN: llvm-mc -filetype=obj -triple=x86_64 imported.s -o imported.o
# RUN: %ld.lld --static-calls -T a.lds imported.o lib.so -o imported
# RUN: llvm-readelf -rd imported | FileCheck %s --check-prefix=GOT
# RUN: llvm-objdump -s --section=.static_call_tramp_key --section=.static_call_sites --section=.static_call.text imported | FileCheck %s --check-prefix=IMPORTED
# GOT:      (NEEDED) {{.*}}lib.so
# GOT:      000000000021000 {{.*}} R_X86_64_GLOB_DAT {{.*}} __SCK__x
# IMPORTED:      11000 a9000000 004c8b1d f4ff0000 41ff23cc
# IMPORTED-NEXT: 11010 31c0c3e3 fecccccc
# IMPORTED:      12000 00f0ffff 00f00000
# IMPORTED:      13000 00d0ffff 00e00000

## The tables are independent of --emit-relocs.
# RUN: %ld.lld --static-calls --emit-relocs -T a.lds a.o -o emit
# RUN: llvm-objdump -s --section=.static_call_tramp_key --section=.static_call_sites --section=.note.patchbay.static_calls emit | FileCheck %s
# RUN: llvm-readelf -r emit | FileCheck %s --check-prefix=EMIT
# EMIT: R_X86_64_PLT32 {{.*}} __SCT__a - 4

#--- a.lds
SECTIONS {
  .text 0x10000 : { *(.text) *(.text.other) }
  .static_call.text 0x11000 : { *(.static_call.text) }
  .static_call_tramp_key 0x12000 : { *(.static_call_tramp_key) }
  .static_call_sites 0x13000 : { *(.static_call_sites) }
  .note.patchbay.static_calls 0x14000 : { *(.note.patchbay.static_calls) }
  .data 0x20000 : { *(.data) }
  .got 0x21000 : { *(.got) }
}
#--- a.s
.globl _start
_start:
  call __SCT__a
  jne __SCT__a
  jmp __SCT__b
.section .text.other,"ax"
  call __SCT__b
.data
.p2align 3
.globl __SCK__a, __SCK__b
__SCK__a:
  .quad _start, __SCT__a, 0
__SCK__b:
  .quad _start, __SCT__b, 0
#--- ends.s
.data
  .quad __start_static_call_sites, __stop_static_call_sites
#--- lib.s
.data
.p2align 3
.globl __SCK__x
.protected __SCK__x
.type __SCK__x,@object
.size __SCK__x,24
__SCK__x:
  .zero 24
#--- imported.s
.globl _start
_start:
  call __SCT__x
