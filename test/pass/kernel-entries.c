// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In kernel mode each function with entry NOPs has a slot, whatever its attributes are:
// LLVM's table lists the function, and the kernel expects a slot.
// DEFINE: %{flags} = -O2 -fpatchable-function-entry=2 -mllvm -patchbay-mode=kernel -Rpass=patchbay -Rpass-missed=patchbay
// DEFINE: %{check} = FileCheck %s --implicit-check-not=remark: --implicit-check-not=warning:
// RUN: %clang_pass --target=x86_64-linux-gnu %{flags} -w -c %s -o %t.o 2>&1 | %{check}
// RUN: %clang_pass --target=aarch64-linux-gnu %{flags} -w -c %s -o %t.o 2>&1 | %{check}
// RUN: %clang_pass --target=powerpc64le-linux-gnu %{flags} -w -c %s -o %t.o 2>&1 | %{check}
// RUN: %clang_pass --target=riscv64-linux-gnu %{flags} -w -c %s -o %t.o 2>&1 | %{check}

// CHECK: remark: no_profile: slot, prefix of 16 bytes
__attribute__((no_profile_instrument_function)) int no_profile(int a) { return a; }
// CHECK: remark: xray_never: slot, prefix of 16 bytes
__attribute__((xray_never_instrument)) int xray_never(int a) { return a; }
// CHECK: remark: naked: slot, prefix of 16 bytes
__attribute__((naked)) void naked(void) { __asm__("nop"); }
// CHECK: remark: cold: slot, prefix of 16 bytes
__attribute__((cold)) int cold(int a) { return a; }
// CHECK: remark: notrace: no slot: it has no -fpatchable-function-entry, which selects functions in kernel mode
__attribute__((patchable_function_entry(0, 0))) int notrace(int a) { return a; }

// Lists, annotations and the threshold have no effect, and cause a warning.
// RUN: printf '[never]\nfun:cold\n' > %t.list
// DEFINE: %{never} = %clang_pass --target=x86_64-linux-gnu %{flags} -c %s -o %t.o
// RUN: %{never} -mllvm -patchbay-attr-list=%t.list 2>&1 | FileCheck %s --check-prefix=REQUEST
// RUN: %{never} -mllvm -patchbay-instruction-threshold=100 2>&1 | FileCheck %s --check-prefix=REQUEST
// RUN: %{never} -DANNOTATED 2>&1 | FileCheck %s --check-prefix=REQUEST
// REQUEST: warning: patchbay: {{.*}}: in kernel mode all functions with NOPs at the entry have a slot: lists, annotations and the threshold have no effect
// REQUEST: remark: cold: slot, prefix of 16 bytes
#ifdef ANNOTATED
__attribute__((annotate("patchbay::never"))) int annotated(int a) { return a; }
#endif
