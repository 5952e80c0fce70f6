// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each type of function that must not have a slot, with the reason in the remark.
// RUN: %clang_pass --target=x86_64-linux-gnu -O1 -w -fsanitize=kcfi -mllvm -patchbay-mode=user -c %s -o %t.o \
// RUN:   -Rpass=patchbay -Rpass-missed=patchbay 2>&1 | FileCheck %s --implicit-check-not=remark:
// RUN: %shared %t.o -o %t.so && %records %t.so | FileCheck %s --check-prefix=RECORD --implicit-check-not=gp=
// RUN: %clang_pass --target=x86_64-linux-gnu -O1 -w -c %s -o %t.o -DPLAIN -fsplit-stack \
// RUN:   -Rpass-missed=patchbay 2>&1 | FileCheck %s --check-prefix=SPLIT

// SPLIT: [[#@LINE+2]]:1: remark: plain: no slot: -fsplit-stack: linkers rewrite its first instructions
// CHECK: [[#@LINE+1]]:1: remark: plain: slot and site, prefix of 16 bytes [-Rpass=patchbay]
int plain(int a) { return a; }
#ifndef PLAIN

// CHECK: remark: naked: no slot: it is naked: the compiler must not change its entry [-Rpass-missed=patchbay]
__attribute__((naked)) void naked(void) { __asm__("ret"); }
// CHECK: remark: {{.*}}regcall: no slot: its calling convention is not C's
__attribute__((regcall)) int regcall(int a) { return a; }
// CHECK: remark: preserve_none: no slot: its calling convention is not C's
__attribute__((preserve_none)) int preserve_none(int a) { return a; }
// CHECK: remark: preserve_most: no slot: its calling convention is not C's
__attribute__((preserve_most)) int preserve_most(int a) { return a; }
// CHECK: remark: preserve_all: no slot: its calling convention is not C's
__attribute__((preserve_all)) int preserve_all(int a) { return a; }
// CHECK: remark: ms_abi: no slot: its calling convention is not C's
__attribute__((ms_abi)) int ms_abi(int a) { return a; }
// CHECK: remark: swiftcall: no slot: its calling convention is not C's
__attribute__((swiftcall)) int swiftcall(int a) { return a; }
// CHECK: remark: interrupt: no slot: its calling convention is not C's
__attribute__((target("general-regs-only"), interrupt)) void interrupt(void *p) {}
// CHECK: remark: sysv_abi: slot and site
__attribute__((sysv_abi)) int sysv_abi(int a) { return a; }
// CHECK: remark: saves_all: no slot: its callers rely on registers that tracers change
__attribute__((no_caller_saved_registers)) int saves_all(int a) { return a; }
// CHECK: remark: no_profile: no slot: it is marked no_profile_instrument_function
__attribute__((no_profile_instrument_function)) int no_profile(int a) { return a; }
// CHECK: remark: pfe_both: no slot: -fpatchable-function-entry claims its entry
__attribute__((patchable_function_entry(5, 2))) int pfe_both(int a) { return a; }
// CHECK: remark: pfe_entry: no slot: -fpatchable-function-entry claims its entry
__attribute__((patchable_function_entry(5))) int pfe_entry(int a) { return a; }

// This body is only for inlining; the function is defined elsewhere.
extern inline __attribute__((gnu_inline)) int inline_only(int a) { return a; }
// CHECK: remark: user: slot and site
int user(int a) { return inline_only(a) + 1; }

static int implementation(int a) { return a + 1; }
static void *resolver(void) { return implementation; }
int ifunc(int) __attribute__((ifunc("resolver")));
// CHECK: remark: resolver: no slot: it is an ifunc resolver, which runs before relocation is done
// CHECK: remark: implementation: slot and site
#endif

// RECORD-DAG: plain gp=1
// RECORD-DAG: sysv_abi gp=1
// RECORD-DAG: user gp=1
// RECORD-DAG: implementation gp=1
