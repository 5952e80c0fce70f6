// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// If no slots are possible, the plugin does not change the code, and the compiler
// prints one message.
// RUN: %clang --target=i386-linux-gnu -O2 -c %s -o %t.stock.o
// RUN: %clang_pass --target=i386-linux-gnu -O2 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: -DTARGET=i386-unknown-linux-gnu
// RUN: cmp %t.stock.o %t.o
// RUN: %clang --target=x86_64-linux-gnux32 -O2 -c %s -o %t.stock.o
// RUN: %clang_pass --target=x86_64-linux-gnux32 -O2 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: -DTARGET=x86_64-unknown-linux-gnux32
// RUN: cmp %t.stock.o %t.o
// RUN: %clang --target=x86_64-apple-macosx -O2 -c %s -o %t.stock.o
// RUN: %clang_pass --target=x86_64-apple-macosx -O2 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: -DTARGET=x86_64-apple-macosx
// RUN: cmp %t.stock.o %t.o
// RUN: %clang_pass --target=aarch64-linux-pauthtest -O2 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: -DTARGET=aarch64-unknown-linux-pauthtest
// RUN: %clang --target=aarch64-linux-gnu_ilp32 -O2 -c %s -o %t.stock.o
// RUN: %clang_pass --target=aarch64-linux-gnu_ilp32 -O2 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: -DTARGET=aarch64-unknown-linux-gnu_ilp32
// RUN: cmp %t.stock.o %t.o
// RUN: %clang --target=powerpc64-linux-gnu -O2 -c %s -o %t.stock.o
// RUN: %clang_pass --target=powerpc64-linux-gnu -O2 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: -DTARGET=powerpc64-unknown-linux-gnu
// RUN: cmp %t.stock.o %t.o
// RUN: %clang --target=riscv32-linux-gnu -O2 -c %s -o %t.stock.o
// RUN: %clang_pass --target=riscv32-linux-gnu -O2 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: -DTARGET=riscv32-unknown-linux-gnu
// RUN: cmp %t.stock.o %t.o
// RUN: %clang --target=loongarch64-linux-gnu -O2 -c %s -o %t.stock.o
// RUN: %clang_pass --target=loongarch64-linux-gnu -O2 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: -DTARGET=loongarch64-unknown-linux-gnu
// RUN: cmp %t.stock.o %t.o
// RUN: %clang --target=s390x-linux-gnu -O2 -c %s -o %t.stock.o
// RUN: %clang_pass --target=s390x-linux-gnu -O2 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: -DTARGET=s390x-unknown-linux-gnu
// RUN: cmp %t.stock.o %t.o
// CHECK: warning: patchbay: {{.*}}unsupported.c: target '[[TARGET]]{{[0-9.]*}}' has no slots; nothing is instrumented [-Wbackend-plugin]

// RUN: %clang_pass --target=i386-linux-gnu -Wno-backend-plugin -c %s -o %t.o 2>&1 | count 0
// RUN: not %clang_pass --target=i386-linux-gnu -Werror=backend-plugin -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: patchbay: {{.*}} has no slots; nothing is instrumented [-Werror,-Wbackend-plugin]

// RUN: %clang --target=x86_64-linux-gnu -fno-pic -mcmodel=large -c %s -o %t.stock.o
// RUN: %clang_pass --target=x86_64-linux-gnu -fno-pic -mcmodel=large -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: cmp %t.stock.o %t.o
// LARGE: warning: patchbay: {{.*}}: -mcmodel=large puts functions out of a record's reach; nothing is instrumented

// RUN: %clang_pass --target=x86_64-linux-gnu -fno-pic -mcmodel=kernel -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: warning: patchbay: {{.*}}: -mcmodel=kernel: x86 kernels need the hash's symbol in the place of the slot; nothing is instrumented

// RUN: %clang --target=x86_64-linux-gnu -O2 -mllvm -enable-ipra -c %s -o %t.stock.o
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -mllvm -enable-ipra -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=IPRA
// RUN: cmp %t.stock.o %t.o
// IPRA: warning: patchbay: {{.*}}: interprocedural register allocation (-enable-ipra) does not expect tracers to change registers; nothing is instrumented

// RUN: %clang_pass --target=powerpc64le-linux-gnu -O2 -mabi=elfv1 -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ELFV1
// ELFV1: warning: patchbay: {{.*}}: -mabi=elfv1: symbols of functions are descriptors, not code; nothing is instrumented

// No warning for a file without functions.
// RUN: %clang_pass --target=i386-linux-gnu -DEMPTY -c %s -o %t.o 2>&1 | count 0

int data;
#ifndef EMPTY
int one(int a) { return a; }
int two(int a) { return a; }
#endif
