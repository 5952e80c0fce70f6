// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's live-ins do not include registers that the program reserves (-ffixed-) or that
// a function must preserve. A function has a site only if tracing changes none of these.
// DEFINE: %{a64} = %clang_pass --target=aarch64-linux-gnu -O2 -c %s -o %t.o -Rpass-missed=patchbay
// DEFINE: %{rv64} = %clang_pass --target=riscv64-linux-gnu -O2 -c %s -o %t.o -Rpass-missed=patchbay
// RUN: %{a64} -ffixed-x9 2>&1 | FileCheck %s
// RUN: %{a64} -ffixed-x10 2>&1 | FileCheck %s
// RUN: %{rv64} -ffixed-x5 2>&1 | FileCheck %s
// RUN: %{rv64} -ffixed-x29 2>&1 | FileCheck %s
// CHECK: remark: plain: no slot: a register that tracing changes is reserved (-ffixed-...)
// RUN: %{a64} -fcall-saved-x8 2>&1 | FileCheck %s --check-prefix=SAVED
// RUN: %{a64} -fcall-saved-x12 2>&1 | FileCheck %s --check-prefix=SAVED
// SAVED: remark: plain: no slot: its callers rely on registers that tracers change

// C preserves these registers, and the runtime does not use x18.
// RUN: %{a64} -ffixed-x18 -ffixed-x20 -fcall-saved-x18 2>&1 | count 0
// RUN: %{rv64} -ffixed-x18 -ffixed-x27 2>&1 | count 0
int plain(int a) { return a; }
