// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No slot: a tracer cannot preserve all that these functions or their callers use.
// RUN: %clang_pass --target=aarch64-linux-gnu -march=armv9-a+sme -O1 -w -c %s -o %t.o \
// RUN:   -Rpass=patchbay -Rpass-missed=patchbay 2>&1 | FileCheck %s --implicit-check-not=remark:

// CHECK: remark: plain: slot and site, prefix of 16 bytes
int plain(int a) { return a; }
// CHECK: remark: takes_scalable: no slot: an argument is in a register that tracers do not keep
__SVInt32_t takes_scalable(__SVInt32_t a) { return a; }
// CHECK: remark: returns_scalable: no slot: its callers rely on registers that tracers change
__SVInt32_t returns_scalable(__SVInt32_t *a) { return *a; }
// CHECK: remark: vector_pcs: no slot: its calling convention is not C's
__attribute__((aarch64_vector_pcs)) int vector_pcs(int a) { return a; }
// CHECK: remark: streaming: no slot: it uses streaming mode or ZA state, in which a tracer cannot run
void streaming(void) __arm_streaming {}
// CHECK: remark: shares_za: no slot: it uses streaming mode or ZA state
void shares_za(void) __arm_inout("za") {}
