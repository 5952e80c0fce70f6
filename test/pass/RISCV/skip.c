// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An interrupt handler saves what it changes; a tracer before it does not.
// RUN: %clang_pass --target=riscv64-linux-gnu -O2 -c %s -o %t.o -Rpass-missed=patchbay 2>&1 | FileCheck %s
// CHECK: remark: handler: no slot: it handles interrupts, which may come where any register is in use
volatile int ticks;
__attribute__((interrupt)) void handler(void) { ticks++; }
