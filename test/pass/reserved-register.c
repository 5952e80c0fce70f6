// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A site leaves registers alone that are reserved for a use of the program's.
// RUN: %clang_pass --target=aarch64-linux-gnu -O2 -ffixed-x9 -c %s -o %t.o -Rpass-missed=patchbay 2>&1 | FileCheck %s
// RUN: %clang_pass --target=riscv64-linux-gnu -O2 -ffixed-x5 -c %s -o %t.o -Rpass-missed=patchbay 2>&1 | FileCheck %s
// CHECK: remark: plain: no slot: a register that its site changes is reserved (-ffixed-...)
// RUN: %clang_pass --target=aarch64-linux-gnu -O2 -ffixed-x10 -c %s -o %t.o -Rpass-missed=patchbay 2>&1 | count 0
// RUN: %clang_pass --target=riscv64-linux-gnu -O2 -ffixed-x6 -c %s -o %t.o -Rpass-missed=patchbay 2>&1 | count 0
int plain(int a) { return a; }
