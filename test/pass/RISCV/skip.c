// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions whose callers or whose state expect more of a tracer than C does.
// RUN: %clang_pass --target=riscv64-linux-gnu -march=rv64gcv -O1 -w -c %s -o %t.o \
// RUN:   -Rpass=patchbay -Rpass-missed=patchbay 2>&1 | FileCheck %s --implicit-check-not=remark:
#include <riscv_vector.h>

// CHECK: remark: plain: slot and site, prefix of 16 bytes
int plain(int a) { return a; }
// Its convention is C's, except that every register has to survive.
// CHECK: remark: handler: no slot: it handles interrupts, which may come where any register is in use
__attribute__((interrupt)) void handler(void) {}
// CHECK: remark: takes_scalable: no slot: scalable vectors give it a calling convention of its own
void takes_scalable(vint32m1_t a) {}
// CHECK: remark: vector_cc: no slot: its calling convention is not C's
__attribute__((riscv_vector_cc)) int vector_cc(int a) { return a; }
