// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// If only some functions of a module have -fpatchable-function-entry, the module is in
// user mode by default, with a warning. Otherwise one attribute would remove the slots
// of a file, or of all files of an LTO link.
// DEFINE: %{cc} = %clang_pass --target=x86_64-linux-gnu -O2 -c %s -o %t.o
// DEFINE: %{warnings} = FileCheck %s --implicit-check-not=warning: --check-prefix
// RUN: %{cc} -DONE 2>&1 | %{warnings}=ONE
// RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s --check-prefix=RECORD --implicit-check-not=gp=
// RUN: %{cc} -DONE -DTWO -g 2>&1 | %{warnings}=TWO
// RUN: not %{cc} -DONE -Werror=backend-plugin 2>&1 | FileCheck %s --check-prefix=ERROR
// ONE: warning: patchbay: {{.*}}mixed-mode.c: one: it has -fpatchable-function-entry, but 'plain' has not: the module is in user mode, where only functions without it get a slot; select -patchbay-mode=user or kernel [-Wbackend-plugin]
// TWO: warning: patchbay: {{.*}}mixed-mode.c:[[#@LINE+24]]: one: it has -fpatchable-function-entry, like 1 more, but 'plain' has not:
// ERROR: error: patchbay: {{.*}} one: it has -fpatchable-function-entry
// RECORD: {{^}}plain gp=1

// No warning if the user selects the mode, or if only functions without a normal entry
// (declared, naked, synthesized) lack NOPs.
// RUN: %{cc} -DONE -mllvm -patchbay-mode=user 2>&1 | count 0
// RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s --check-prefix=RECORD --implicit-check-not=gp=
// RUN: %{cc} -DONE -mllvm -patchbay-mode=kernel 2>&1 | count 0
// RUN: %{cc} -DONE -mllvm -patchbay-disable 2>&1 | count 0
// RUN: %{cc} -DONE -fpatchable-function-entry=2 -Rpass=patchbay 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: %{cc} 2>&1 | count 0
// KERNEL-NOT: warning:
// KERNEL: remark: plain: slot, prefix of 16 bytes

// LTO merges files of both types.
// REQUIRES: lld
// RUN: %clang --target=x86_64-linux-gnu -O2 -flto -c %s -o %t.1.o -DONE -DEXTRA
// RUN: %clang --target=x86_64-linux-gnu -O2 -flto -c %s -o %t.2.o
// RUN: %ld.lld -shared -z undefs --load-pass-plugin=%pass %t.1.o %t.2.o -o %t.so 2>&1 | FileCheck %s --check-prefix=LTO
// RUN: %records %t.so | FileCheck %s --check-prefix=RECORD --implicit-check-not=gp=
// LTO: warning: {{.*}}patchbay: ld-temp.o: one: it has -fpatchable-function-entry, but 'plain' has not:

#ifdef ONE
__attribute__((patchable_function_entry(2))) int one(int a) { return a; }
#endif
#ifdef TWO
__attribute__((patchable_function_entry(2))) int two(int a) { return a; }
#endif
#ifndef EXTRA
int declared(int a);
__attribute__((naked)) void naked(void) { __asm__("ret"); }
int plain(int a) { return declared(a); }
#endif
