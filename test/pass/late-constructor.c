// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A constructor sets `constructed` and then reads `offered`. A library that is loaded later
// sets `offered` and then reads `constructed`. These accesses are sequentially consistent
// on each architecture. Otherwise neither might see the other's store, and the module
// would not be registered.
// RUN: %clang --target=x86_64-linux-gnu -fplugin=%pass -O2 -c %s -o %t.o
// RUN: llvm-objdump -d --no-show-raw-insn %t.o | FileCheck %s --check-prefix=X86
// RUN: %clang --target=aarch64-linux-gnu -fplugin=%pass -O2 -c %s -o %t.o
// RUN: llvm-objdump -d --no-show-raw-insn %t.o | FileCheck %s --check-prefix=ARM
// RUN: %clang --target=powerpc64le-linux-gnu -fplugin=%pass -O2 -c %s -o %t.o
// RUN: llvm-objdump -d --no-show-raw-insn %t.o | FileCheck %s --check-prefix=PPC
// RUN: %clang --target=riscv64-linux-gnu -fplugin=%pass -O2 -c %s -o %t.o
// RUN: llvm-objdump -d --no-show-raw-insn %t.o | FileCheck %s --check-prefix=RISCV

// X86-LABEL: <__patchbay_module_ctor>:
// X86:       xchgb
// X86:       movzbl (%rip)
// X86:       testb
// X86:       movq (%rip), %rax

// ARM-LABEL: <__patchbay_module_ctor>:
// ARM:       stlrb
// ARM:       ldarb

// PPC-LABEL: <__patchbay_module_ctor>:
// PPC:       stb
// PPC:       sync
// PPC:       lbz
// PPC:       isync

// RISCV-LABEL: <__patchbay_module_ctor>:
// RISCV:      sb
// RISCV:      fence rw, rw
// RISCV:      lb
// RISCV-NEXT: fence r, rw
int function(int a) { return a; }
