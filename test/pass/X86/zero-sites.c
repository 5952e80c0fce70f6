// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: lld
// With -patchbay-zero-sites, the immediates of sites are 0, in each assembler dialect
// and with each code generator. Only the module's own group refers to stubs.
// DEFINE: %{zero} = %clang --target=x86_64-linux-gnu -O2 -fPIC -fcf-protection -fplugin=%pass -mllvm -patchbay-zero-sites
// RUN: %{zero} -c %s -o %t.o
// RUN: llvm-objdump -dr --no-show-raw-insn %t.o | FileCheck %s
// RUN: %{zero} -masm=intel -S %s -o %t.s
// RUN: %clang --target=x86_64-linux-gnu -c %t.s -o %t.intel.o
// RUN: llvm-objdump -dr --no-show-raw-insn %t.intel.o | FileCheck %s
// CHECK-LABEL: <function>:
// CHECK-NEXT: endbr64
// CHECK-NEXT: testl $0x0, %eax
// CHECK-NEXT: jb
// CHECK-NEXT: leal

// RUN: ld.lld -shared %t.o -o %t.so
// RUN: %patchbay verify %t.so | FileCheck %s --check-prefix=VERIFY
// RUN: %clang --target=x86_64-linux-gnu -O2 -fPIC -flto -c %s -o %t.bc
// RUN: %ld.lld -shared --load-pass-plugin=%pass -mllvm -patchbay-zero-sites %t.bc -o %t.so
// RUN: llvm-objdump -d --no-show-raw-insn %t.so | FileCheck %s --check-prefix=LTO
// RUN: %patchbay verify %t.so | FileCheck %s --check-prefix=VERIFY
// LTO: <function>:
// LTO-NEXT: testl $0x0, %eax
// VERIFY: 1 functions verified, 0 faults

int function(int a) { return a + 1; }
