// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that LLVM synthesizes have kCFI hashes, but no NOPs at the entry. In kernel
// mode they have no slot, no NOPs and no record, and the hash has the same offset as in
// all others.
// DEFINE: %{cflags} = -O2 -fsanitize=kcfi,address -fpatchable-function-entry=8,4 -S %s -o -
// RUN: %clang_pass --target=aarch64-linux-gnu %{cflags} | FileCheck %s --implicit-check-not=entries,
// RUN: %clang_pass --target=riscv64-linux-gnu %{cflags} | FileCheck %s --implicit-check-not=entries,
// RUN: %clang --target=powerpc64le-linux-gnu -fpass-plugin=%pass %{cflags} | FileCheck %s --implicit-check-not=entries,
// CHECK: function:
// CHECK: .section __patchable_function_entries,"awo",@progbits,function
// CHECK:      .type asan.module_ctor,@function
// CHECK-NEXT: {{\.(word|long)}} 2772461324
// CHECK-NEXT: asan.module_ctor:
// CHECK:      %bb.0:
// CHECK-NEXT: {{mflr|addi|st[pr]}}

// Stock clang gives synthesized functions only the NOPs before the entry, and lists them
// in its table although they cannot be patched. This line fails when upstream is fixed.
// RUN: %clang --target=aarch64-linux-gnu %{cflags} | FileCheck %s --check-prefix=STOCK
// STOCK:       .type asan.module_ctor,@function
// STOCK-NEXT:  .word 2772461324
// STOCK-NEXT:  [[RECORD:.Ltmp[0-9]+]]:
// STOCK-COUNT-4: nop
// STOCK-NOT:   nop
// STOCK:       asan.module_ctor:
// STOCK-NOT:   nop
// STOCK:       .section __patchable_function_entries,"awo{{G?}}",@progbits,asan.module_ctor
// STOCK-NEXT:  .p2align 3
// STOCK-NEXT:  {{\.xword|\.quad}} [[RECORD]]
int global[4];
int function(int (*f)(int)) { return f(1) + global[0]; }
