// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions with all NOPs before the entry keep them if another function has entry
// NOPs. With kCFI they lose the NOPs, with a warning: all hashes need the same offset.
// DEFINE: %{cc} = %clang_pass --target=x86_64-linux-gnu -O2 -fpatchable-function-entry=16,16 -mllvm -patchbay-mode=kernel -S %s -o %t.s
// RUN: %{cc} -DONE 2>&1 | count 0
// RUN: FileCheck %s --input-file=%t.s
// CHECK: .type before,@function
// CHECK-NOT: before:
// CHECK-COUNT-16: {{^[[:space:]]+nop$}}
// CHECK-NEXT: before:
// CHECK-NOT: nop
// CHECK: .section __patchable_function_entries,"awo",@progbits,before
// CHECK: .ascii "\000\000\000\000\000\000\000\000\303\303\303{{.*}}"
// CHECK-NEXT: one:
// CHECK: xchgw %ax, %ax
// CHECK: .section __patchable_function_entries,"awo",@progbits,one
// RUN: %{cc} -DONE -fsanitize=kcfi 2>&1 | FileCheck %s --check-prefix=KCFI
// RUN: FileCheck %s --check-prefix=HASH --input-file=%t.s --implicit-check-not=progbits,before
// KCFI: warning: patchbay: {{.*}} before: with kCFI it loses the NOPs before its entry, and LLVM's table does not list it: all hashes need the same distance from the entry
// HASH: movl ${{[0-9]+}}, %eax
// HASH-NOT: nop
// HASH: before:
int before(int a) { return a; }
#ifdef ONE
__attribute__((patchable_function_entry(2, 0))) int one(int a) { return a; }
#endif
