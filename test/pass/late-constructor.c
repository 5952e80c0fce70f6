// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A constructor says that it has run and then asks whether a library has come
// meanwhile, which does the same the other way round. Between store and load is the
// one barrier that keeps them in this order on each architecture: without it neither
// may see the other, and nobody registers the module.
// RUN: %clang --target=x86_64-linux-gnu -fplugin=%pass -O2 -c %s -o %t.o
// RUN: llvm-objdump -d --no-show-raw-insn %t.o | FileCheck %s --check-prefix=X86
// RUN: %clang --target=aarch64-linux-gnu -fplugin=%pass -O2 -c %s -o %t.o
// RUN: llvm-objdump -d --no-show-raw-insn %t.o | FileCheck %s --check-prefix=ARM
// RUN: %clang --target=powerpc64le-linux-gnu -fplugin=%pass -O2 -c %s -o %t.o
// RUN: llvm-objdump -d --no-show-raw-insn %t.o | FileCheck %s --check-prefix=PPC
// RUN: %clang --target=riscv64-linux-gnu -fplugin=%pass -O2 -c %s -o %t.o
// RUN: llvm-objdump -d --no-show-raw-insn %t.o | FileCheck %s --check-prefix=RISCV

// X86-LABEL: <__patchbay_module_ctor>:
// X86:       movb $0x1,
// X86:       mfence
// X86-NEXT:  cmpb $0x0,
// X86-NEXT:  je
// X86-NEXT:  movq {{.*}}(%rip), %rax

// ARM-LABEL: <__patchbay_module_ctor>:
// ARM:       strb w2, [x1]
// ARM:       dmb ish
// ARM:       ldarb w2, [x1]
// ARM-NEXT:  cbz w2,
// ARM:       ldr x16,

// PPC-LABEL: <__patchbay_module_ctor>:
// PPC:       stb 5,
// PPC:       sync
// PPC:       lbz 5,
// PPC-NEXT:  lwsync
// PPC:       ld 12,

// RISCV-LABEL: <__patchbay_module_ctor>:
// RISCV:      sb a2,
// RISCV:      fence rw, rw
// RISCV:      lbu a2,
// RISCV-NEXT: fence r, rw
// RISCV:      ld a5,
int function(int a) { return a; }
