// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The note and the module's COMDAT group exist once per object file. A file without a
// site has neither.
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -c %s -o %t.o
// RUN: llvm-readelf -SgnW %t.o | FileCheck %s
// RUN: llvm-objdump -s -j .note.patchbay -j .rodata.__patchbay_module -j .note.patchbay.module -j .text.__patchbay_module %t.o | FileCheck %s --check-prefix=BYTES
// RUN: llvm-readelf -sW %t.o | FileCheck %s --check-prefix=SYMBOLS
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -DEMPTY -c %s -o %t.o
// RUN: llvm-readelf -SW %t.o | FileCheck %s --check-prefix=EMPTY --implicit-check-not=patchbay

#ifndef EMPTY
int one(int a) { return a; }
int two(int a) { return a; }
#else
int data;
__attribute__((naked)) void naked(void) { __asm__("ret"); }
#endif

// CHECK-NOT: note.patchbay
// CHECK: .text.startup.__patchbay_module PROGBITS {{.*}} AXG
// CHECK: .data.rel.ro.__patchbay_module PROGBITS {{.*}} 000088 00 WAG 0 0 8
// CHECK: .bss.__patchbay_module NOBITS {{.*}} 000010 00 WAG 0 0 8
// CHECK: .rodata.__patchbay_module PROGBITS {{.*}} 000040 00 AG 0 0 8
// CHECK: .note.patchbay.module NOTE {{.*}} 000020 00 AG 0 0 4
// CHECK: .init_array.1 INIT_ARRAY {{.*}} 000008 00 WAG 0 0 8
// CHECK: .fini_array.1 FINI_ARRAY {{.*}} 000008 00 WAG 0 0 8
// CHECK: .note.patchbay NOTE {{.*}} 000020 00 0 0 4
// CHECK-NOT: note.patchbay
// CHECK: .text.__patchbay_module PROGBITS {{.*}} 0012ea 00 AXG 0 0 64
// CHECK: .gcc_except_table.__patchbay_module PROGBITS {{.*}} 000048 00 AG 0 0 4
// CHECK: COMDAT group section {{.*}} [__patchbay_module] contains 17 sections:
// CHECK-NOT: COMDAT
// CHECK: Displaying notes found in: .note.patchbay{{$}}
// CHECK: Patchbay 0x00000008
// CHECK-NEXT: description data: 02 00 00 00 01 00 00 00

// BYTES:      section .rodata.__patchbay_module:
// BYTES-NEXT: 0000 02000000 40000000 00000000 00000000
// BYTES-NEXT: 0010 00000000 00000000 00000000 00000000
// BYTES-NEXT: 0020 00000000 00000000 00000000 00000000
// BYTES-NEXT: 0030 00000000 00000000 08000000 00000000
// BYTES:      section .note.patchbay.module:
// BYTES-NEXT: 0000 09000000 08000000 06000000 50617463
// BYTES-NEXT: 0010 68626179 00000000 02000000 00000000
// BYTES:      section .note.patchbay:
// BYTES-NEXT: 0000 09000000 08000000 01000000 50617463
// BYTES-NEXT: 0010 68626179 00000000 02000000 01000000
// BYTES:      section .text.__patchbay_module:
// BYTES-NEXT: 0000 ff250000 0000cccc cccccccc cccccccc
// BYTES-NEXT: 0010 ff250000 0000cccc cccccccc cccccccc
// BYTES-NEXT: 0020 ff250000 0000cccc cccccccc cccccccc
// BYTES-NEXT: 0030 ff250000 0000cccc cccccccc cccccccc
// BYTES-NEXT: 0040 ff250000 0000cccc cccccccc cccccccc
// BYTES-NEXT: 0050 ff250000 0000cccc cccccccc cccccccc
// BYTES-NEXT: 0060 f30f1efa f8c3e3fe cccccccc cccccccc
// BYTES-NEXT: 0070 cccccccc cccccccc cccccccc cccccccc
// BYTES-NEXT: 0080 f30f1efa f8c3cccc cccccccc cccccccc

// SYMBOLS-DAG: OBJECT WEAK HIDDEN {{.*}} __patchbay_module{{$}}
// SYMBOLS-DAG: FUNC WEAK HIDDEN {{.*}} __patchbay_stubs_2{{$}}
// SYMBOLS-DAG: OBJECT WEAK HIDDEN {{.*}} __patchbay_personality_2{{$}}
// SYMBOLS-DAG: NOTYPE WEAK HIDDEN UND __start_patchbay_sites
// SYMBOLS-DAG: NOTYPE WEAK HIDDEN UND __stop_patchbay_sites
// SYMBOLS-DAG: NOTYPE WEAK DEFAULT UND patchbay_module_register
// SYMBOLS-DAG: NOTYPE WEAK DEFAULT UND patchbay_module_unregister

// EMPTY: .text
