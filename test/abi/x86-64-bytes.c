// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass emits exactly the bytes that the header defines. Inputs/x86-64-bytes.S
// contains the same function, written by hand with the header's numbers.
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -fsanitize=kcfi -c %s -o %t.pass.o
// RUN: %clang --target=x86_64-linux-gnu -I %patchbay_include -c %S/Inputs/x86-64-bytes.S -DHASH=0x50794 -o %t.hand.o
// RUN: llvm-objcopy -O binary --only-section=.text %t.pass.o %t.pass.text
// RUN: llvm-objcopy -O binary --only-section=.text %t.hand.o %t.hand.text
// RUN: cmp %t.pass.text %t.hand.text
// RUN: llvm-objdump -s -j patchbay_sites -j .note.patchbay %t.pass.o | grep -v "file format" > %t.pass.txt
// RUN: llvm-objdump -r %t.pass.o | sed -n "/RECORDS.*.\(patchbay_sites\|text\).:/,/^$/p" | grep R_X86_64 >> %t.pass.txt
// RUN: llvm-objdump -s -j patchbay_sites -j .note.patchbay %t.hand.o | grep -v "file format" > %t.hand.txt
// RUN: llvm-objdump -r %t.hand.o | sed -n "/RECORDS.*.\(patchbay_sites\|text\).:/,/^$/p" | grep R_X86_64 >> %t.hand.txt
// RUN: FileCheck %s < %t.hand.txt
// RUN: diff %t.pass.txt %t.hand.txt

// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -fcf-protection=branch -c %s -o %t.pass.o
// RUN: %clang --target=x86_64-linux-gnu -I %patchbay_include -c %S/Inputs/x86-64-bytes.S -DIBT -o %t.hand.o
// RUN: llvm-objcopy -O binary --only-section=.text %t.pass.o %t.pass.text
// RUN: llvm-objcopy -O binary --only-section=.text %t.hand.o %t.hand.text
// RUN: cmp %t.pass.text %t.hand.text
// RUN: llvm-objdump -s -j patchbay_sites -j .note.patchbay %t.pass.o | grep -v "file format" > %t.pass.txt
// RUN: llvm-objdump -r %t.pass.o | sed -n "/RECORDS.*.\(patchbay_sites\|text\).:/,/^$/p" | grep R_X86_64 >> %t.pass.txt
// RUN: llvm-objdump -s -j patchbay_sites -j .note.patchbay %t.hand.o | grep -v "file format" > %t.hand.txt
// RUN: llvm-objdump -r %t.hand.o | sed -n "/RECORDS.*.\(patchbay_sites\|text\).:/,/^$/p" | grep R_X86_64 >> %t.hand.txt
// RUN: diff %t.pass.txt %t.hand.txt

// CHECK-DAG: patchbay_sites
// CHECK-DAG: .note.patchbay
// CHECK-DAG: R_X86_64_PC32 .text+0x10
// CHECK-DAG: R_X86_64_PC32 __patchbay_stubs_2-0x4

int function(int a) { return a + 1; }
