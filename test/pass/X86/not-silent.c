// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A build with the plugin never lacks all slots without a message. If command line
// options prevent all slots, there is a warning, and also for -fplugin-arg-patchbay-,
// which has no effect.
// DEFINE: %{cc} = %clang --target=x86_64-linux-gnu -O1 -fplugin=%pass -c %s -o %t.o
// DEFINE: %{check} = FileCheck %s --implicit-check-not=warning: --check-prefix
// RUN: %{cc} -fsplit-stack 2>&1 | %{check}=SPLIT
// RUN: %{cc} -fsplit-stack -DNAKED 2>&1 | %{check}=NAKED
// RUN: %{cc} -fpatchable-function-entry=2 -Xclang -mllvm -Xclang -patchbay-mode=user 2>&1 | %{check}=ENTRY
// RUN: %clang --target=aarch64-linux-gnu -ffixed-x9 -fplugin=%pass -c %s -o %t.o 2>&1 | %{check}=FIXED
// SPLIT: warning: patchbay: {{.*}}not-silent.c: no function has a slot: -fsplit-stack: linkers rewrite its first instructions (2) [-Wbackend-plugin]
// NAKED: warning: patchbay: {{.*}}not-silent.c: no function has a slot: -fsplit-stack: linkers rewrite its first instructions (2); it is naked: the compiler must not change its entry (1)
// ENTRY: warning: patchbay: {{.*}} no function has a slot: -fpatchable-function-entry claims its entry (2)
// FIXED: warning: patchbay: {{.*}} no function has a slot: a register that tracing changes is reserved (-ffixed-...) (2)

// Functions that a sanitizer adds to a file have slots, but do not count.
// RUN: %{cc} -fsanitize=address -fsplit-stack -Rpass=patchbay 2>&1 | %{check}=ASAN
// ASAN-DAG: remark: {{.*}}asan.module_ctor: slot and site
// ASAN-DAG: warning: patchbay: {{.*}}not-silent.c: no function has a slot: -fsplit-stack: linkers rewrite its first instructions (2) [-Wbackend-plugin]

// With -patchbay-require the warning is an error.
// RUN: not %{cc} -fsplit-stack -Xclang -mllvm -Xclang -patchbay-require 2>&1 | %{check}=REQUIRE
// REQUIRE: error: patchbay: {{.*}} -patchbay-require: no function has a slot: -fsplit-stack: linkers rewrite its first instructions (2)

// No warning if the user has excluded all functions, or if only some functions cannot
// have a slot.
// RUN: printf '[never]\nfun:*\n' > %t.list
// RUN: %{cc} -fsplit-stack -Xclang -mllvm -Xclang -patchbay-attr-list=%t.list 2>&1 | count 0
// RUN: %{cc} -Xclang -mllvm -Xclang -patchbay-attr-list=%t.list 2>&1 | count 0
// RUN: %{cc} -DNAKED 2>&1 | count 0

// RUN: %{cc} -fplugin-arg-patchbay-mode=kernel 2>&1 | %{check}=ARG
// RUN: %{cc} -save-temps=obj -fplugin-arg-patchbay-mode=kernel 2>&1 | %{check}=ARG
// RUN: %{cc} -fplugin-arg-other-mode=kernel 2>&1 | count 0
// ARG: warning: patchbay: {{.*}}: -fplugin-arg-patchbay-... has no effect: use -Xclang -mllvm -Xclang -patchbay-... [-Wbackend-plugin]

int one(int a) { return a; }
int two(int a) { return a; }
#ifdef NAKED
__attribute__((naked)) void naked(void) { __asm__("ret"); }
#endif
