// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function has no slot if a tracer cannot preserve all registers that it or its caller uses.
// RUN: %clang_pass --target=riscv64-linux-gnu -march=rv64gcv -O3 -w -c %s -o %t.o \
// RUN:   -Rpass=patchbay -Rpass-missed=patchbay 2>&1 | FileCheck %s --implicit-check-not=remark:
#include <riscv_vector.h>

// CHECK: remark: plain: slot and site, prefix of 16 bytes
int plain(int a) { return a; }
// The function has the C convention, but must also preserve every register.
// CHECK: remark: handler: no slot: it handles interrupts: any register may be in use at its entry
__attribute__((interrupt)) void handler(void) {}
// CHECK: remark: takes_scalable: no slot: an argument is in a register that tracers do not keep
vint32m1_t takes_scalable(vint32m1_t a) { return a; }
// A tracer of entries preserves all registers of this function. Exits cannot be traced.
// CHECK: remark: returns_scalable: slot and site
vint32m1_t returns_scalable(vint32m1_t *a) { return *a; }
// Argument promotion creates vectors of a fixed length, in fastcc and C functions.
// CHECK: remark: caller: slot and site
// CHECK: remark: takes_fixed: no slot: an argument is in a register that tracers do not keep
typedef int v4 __attribute__((vector_size(16)));
static __attribute__((noinline)) void takes_fixed(const v4 *a, const v4 *b, v4 *restrict out) { *out = *a * *b + *a; }
v4 caller(v4 *p, v4 *q) { v4 a = *p + 1, b = *q - 1, o; takes_fixed(&a, &b, &o); return o; }
// CHECK: remark: vector_cc: no slot: its calling convention is not C's
__attribute__((riscv_vector_cc)) int vector_cc(int a) { return a; }
