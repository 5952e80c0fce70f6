// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: gnu-binutils
// Assembly output in either dialect, assembled by clang or by GNU as, has the same
// bytes as the object that clang writes directly. The test omits unwind tables, because
// their length differs and would move later bytes.
// RUN: echo 'SECTIONS { /DISCARD/ : { *(.eh_frame) } } INSERT AFTER .text;' > %t.lds
// DEFINE: %{shared} = %shared --section-start=.text=0x10000 -T %t.lds
// RUN: %clangxx_pass --target=x86_64-linux-gnu -O2 -fsanitize=kcfi -fcf-protection=branch -fno-addrsig -c %s -o %t.o
// RUN: %clangxx_pass --target=x86_64-linux-gnu -O2 -fsanitize=kcfi -fcf-protection=branch -fno-addrsig -fno-integrated-as -S %s -o %t.att.s
// RUN: %clangxx_pass --target=x86_64-linux-gnu -O2 -fsanitize=kcfi -fcf-protection=branch -fno-addrsig -fno-integrated-as -masm=intel -S %s -o %t.intel.s
// RUN: FileCheck %s --check-prefix=ATT < %t.att.s
// RUN: FileCheck %s --check-prefix=INTEL < %t.intel.s
// RUN: %clang --target=x86_64-linux-gnu -c %t.att.s -o %t.att.o
// RUN: %clang --target=x86_64-linux-gnu -c %t.intel.s -o %t.intel.o
// RUN: as %t.att.s -o %t.gnu.att.o
// RUN: as %t.intel.s -o %t.gnu.intel.o
// RUN: %clangxx_pass --target=x86_64-linux-gnu -O2 -fsanitize=kcfi -fcf-protection=branch -fno-integrated-as -c %s -o %t.raw.o
// RUN: %{shared} %t.o -o %t.so
// RUN: %records --prefix %t.so > %t.txt
// RUN: FileCheck %s < %t.txt
// RUN: llvm-objcopy -O binary --only-section=.text %t.so %t.bin
// RUN: %{shared} %t.att.o -o %t.att.so && %records --prefix %t.att.so | diff %t.txt -
// RUN: llvm-objcopy -O binary --only-section=.text %t.att.so %t.att.bin && cmp %t.bin %t.att.bin
// RUN: %{shared} %t.intel.o -o %t.intel.so && %records --prefix %t.intel.so | diff %t.txt -
// RUN: llvm-objcopy -O binary --only-section=.text %t.intel.so %t.intel.bin && cmp %t.bin %t.intel.bin
// RUN: %{shared} %t.gnu.att.o -o %t.gnu.att.so && %records --prefix %t.gnu.att.so | diff %t.txt -
// RUN: llvm-objcopy -O binary --only-section=.text %t.gnu.att.so %t.gnu.att.bin && cmp %t.bin %t.gnu.att.bin
// RUN: %{shared} %t.gnu.intel.o -o %t.gnu.intel.so && %records --prefix %t.gnu.intel.so | diff %t.txt -
// RUN: llvm-objcopy -O binary --only-section=.text %t.gnu.intel.so %t.gnu.intel.bin && cmp %t.bin %t.gnu.intel.bin
// RUN: %{shared} %t.raw.o -o %t.raw.so && %records --prefix %t.raw.so | diff %t.txt -
// RUN: llvm-objcopy -O binary --only-section=.text %t.raw.so %t.raw.bin && cmp %t.bin %t.raw.bin

template <class T> __attribute__((noinline)) T twice(T a) { return a * 2; }
int function(int a, double b) { return twice(a) + twice(b); }
__attribute__((section("own"))) int own(int a) { return twice(a); }

// ATT: testl $__patchbay_stubs_2+{{[0-9]+}}-(.L{{.*}}+5), %eax
// ATT: movq patchbay_module_register@GOTPCREL(%rip), %rax
// INTEL: .byte 169
// INTEL-NEXT: .long __patchbay_stubs_2+{{[0-9]+}}-(.L{{.*}}+5)
// INTEL: mov rax, qword ptr [rip + patchbay_module_register@GOTPCREL]

// CHECK-DAG: _Z8functionid gp=1 fp=1
// CHECK-DAG: _Z5twiceIiET_S0_ gp=1 fp=0
// CHECK-DAG: _Z5twiceIdET_S0_ gp=0 fp=1
// CHECK-DAG: _Z3owni gp=1 fp=0
