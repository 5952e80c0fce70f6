// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes in the source, and conflicts between them.
// DEFINE: %{cc} = %clang_pass --target=x86_64-linux-gnu -O1 -c %s -o %t.o
// DEFINE: %{remarks} = %{cc} -Wno-backend-plugin -Rpass=patchbay -Rpass-missed=patchbay
// RUN: %{remarks} 2>&1 | FileCheck %s --implicit-check-not=remark: --implicit-check-not=warning: --check-prefixes=CHECK,REMARK
// RUN: %{cc} -g 2>&1 | FileCheck %s --implicit-check-not=warning: --check-prefix=LINE

// Attributes precede the threshold and lists.
// RUN: printf '[always]\nfun:*_never\n[never]\nfun:asked' > %t.list
// RUN: %{remarks} -mllvm -patchbay-instruction-threshold=100 -mllvm -patchbay-attr-list=%t.list 2>&1 | FileCheck %s --check-prefix=CHECK
// RUN: %{remarks} -fpatchable-function-entry=2 -mllvm -patchbay-mode=kernel 2>&1 | FileCheck %s --check-prefix=KERNEL

// Requests in one module do not affect the next module.
// RUN: %clang --target=x86_64-linux-gnu -S -emit-llvm -O1 %s -o %t.ll
// RUN: llc -load %pass -compile-twice -filetype=obj %t.ll -o %t.o 2>&1 | FileCheck %s --check-prefix=TWICE --implicit-check-not=conflicting
// TWICE-COUNT-6: warning: {{.*}}: conflicting attributes

// Without debug information the warning has no line. A function in a list is also
// requested by name.
// RUN: printf '[always]\nfun:naked\n' > %t.list
// RUN: %{cc} -DNAKED -mllvm -patchbay-attr-list=%t.list 2>&1 | FileCheck %s --check-prefix=NAKED
// RUN: not %{cc} -DNAKED -Werror=backend-plugin -mllvm -patchbay-attr-list=%t.list 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: printf '[always]\nmainfile:*\n' > %t.list
// RUN: %{cc} -DNAKED -mllvm -patchbay-attr-list=%t.list 2>&1 | count 0
// RUN: %{cc} -DNAKED 2>&1 | count 0
// NAKED: warning: patchbay: {{.*}}attributes.c: naked: it is listed under [always], but has no slot: it is naked: the compiler must not change its entry [-Wbackend-plugin]
// ERROR: error: patchbay: {{.*}}attributes.c: naked: it is listed under [always], but has no slot: {{.*}} [-Werror,-Wbackend-plugin]
#ifdef NAKED
__attribute__((naked)) void naked(void) { __asm__("ret"); }
#else

#define ALWAYS annotate("patchbay::always")

// CHECK: [[#@LINE+1]]:1: remark: profile_never: no slot: it is marked no_profile_instrument_function [-Rpass-missed=patchbay]
__attribute__((no_profile_instrument_function)) int profile_never(int a) { return a; }
// CHECK: remark: xray_never: no slot: it is marked xray_never_instrument
__attribute__((xray_never_instrument)) int xray_never(int a) { return a; }
// CHECK: remark: annotated_never: no slot: it is annotated patchbay::never
__attribute__((annotate("patchbay::never"))) int annotated_never(int a) { return a; }
// CHECK: remark: asked: slot and site, prefix of 16 bytes: it is annotated patchbay::always [-Rpass=patchbay]
__attribute__((ALWAYS)) int asked(int a) { return a; }
// REMARK: remark: annotated_otherwise: slot and site, prefix of 16 bytes [-Rpass=patchbay]
__attribute__((annotate("patchbay"))) int annotated_otherwise(int a) { return a; }

// LINE: warning: patchbay: {{.*}}attributes.c:[[#@LINE+2]]: misspelt: unknown annotation 'patchbay::alwys': expected patchbay::always or patchbay::never [-Wbackend-plugin]
// REMARK: remark: misspelt: slot and site, prefix of 16 bytes [-Rpass=patchbay]
__attribute__((annotate("patchbay::alwys"))) int misspelt(int a) { return a; }
// LINE: warning: patchbay: {{.*}}attributes.c:[[#@LINE+2]]: profile: conflicting attributes: it is annotated patchbay::always, but has no slot: it is marked no_profile_instrument_function
// CHECK: remark: profile: no slot: it is marked no_profile_instrument_function
__attribute__((ALWAYS, no_profile_instrument_function)) int profile(int a) { return a; }
// LINE: warning: patchbay: {{.*}}attributes.c:[[#@LINE+2]]: xray: conflicting attributes: it is annotated patchbay::always, but has no slot: it is marked xray_never_instrument
// CHECK: remark: xray: no slot: it is marked xray_never_instrument
__attribute__((ALWAYS, xray_never_instrument)) int xray(int a) { return a; }
// LINE: warning: patchbay: {{.*}}attributes.c:[[#@LINE+2]]: both: conflicting attributes: it is annotated patchbay::always, but has no slot: it is annotated patchbay::never
// CHECK: remark: both: no slot: it is annotated patchbay::never
__attribute__((ALWAYS, annotate("patchbay::never"))) int both(int a) { return a; }

// LINE: warning: patchbay: {{.*}}attributes.c:[[#@LINE+2]]: convention: it is annotated patchbay::always, but has no slot: its calling convention is not C's
// CHECK: remark: convention: no slot: its calling convention is not C's
__attribute__((ALWAYS, preserve_most)) int convention(int a) { return a; }

// Clang does not pass these attributes to LLVM. But if all other functions have entry
// NOPs, a function without NOPs is excluded.
// KERNEL: remark: no_instrument: slot, prefix of 16 bytes
// KERNEL: remark: no_entry: no slot: it has no -fpatchable-function-entry, which selects functions in kernel mode
// REMARK: remark: no_instrument: slot and site, prefix of 16 bytes [-Rpass=patchbay]
__attribute__((no_instrument_function)) int no_instrument(int a) { return a; }
// REMARK: remark: no_entry: slot and site, prefix of 16 bytes [-Rpass=patchbay]
__attribute__((patchable_function_entry(0, 0))) int no_entry(int a) { return a; }
#endif
