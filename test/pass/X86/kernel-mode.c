// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In kernel mode the prefix NOPs of -fpatchable-function-entry become a slot. LLVM
// emits the entry NOPs and their table. The hash has the same offset as in untraced
// functions.
// DEFINE: %{kernel} = -Xclang -mllvm -Xclang -patchbay-mode=kernel
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -fsanitize=kcfi -fpatchable-function-entry=4,2 %{kernel} -S %s -o - | FileCheck %s --check-prefixes=CHECK,X86
// RUN: %clang_pass --target=aarch64-linux-gnu -O2 -fsanitize=kcfi -fpatchable-function-entry=4,2 %{kernel} -S %s -o - | FileCheck %s --check-prefixes=CHECK,AARCH64
// RUN: %clang_pass --target=riscv64-linux-gnu -O2 -fsanitize=kcfi -fpatchable-function-entry=8,4 %{kernel} -S %s -o - | FileCheck %s --check-prefixes=CHECK,RISCV
// RUN: %clang --target=powerpc64le-linux-gnu -O2 -fsanitize=kcfi -fpatchable-function-entry=4,2 %{kernel} -fpass-plugin=%pass -S %s -o - | FileCheck %s --check-prefixes=CHECK,PPC
// RUN: %clang --target=powerpc64le-linux-gnu -O0 -fsanitize=kcfi -fpatchable-function-entry=4,2 %{kernel} -fpass-plugin=%pass -S %s -o - | FileCheck %s --check-prefix=PPC

// Stock clang puts NOPs between hash and entry of only one function, so calls between
// the two functions trap. If this fails, upstream is fixed.
//
// RUN: %clang --target=aarch64-linux-gnu -O2 -fsanitize=kcfi -fpatchable-function-entry=4,2 -S %s -o - | FileCheck %s --check-prefix=STOCK

// For a file with functions of both types the user must select the mode (mixed-mode.c).
// In kernel mode functions without entry NOPs have no slot. Without the option, a file
// is in kernel mode if all its functions have entry NOPs.
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -DNO_NOTRACE -fpatchable-function-entry=4,2 -Rpass=patchbay -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=warning:
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -DNOTRACE -mllvm -patchbay-mode=kernel -Rpass-missed=patchbay -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=MISSED
// RUN: llvm-readelf -S %t.o | FileCheck %s --check-prefix=NOTHING --implicit-check-not=patchbay
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -mllvm -patchbay-mode=user -fpatchable-function-entry=4,2 -Rpass-missed=patchbay -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=USER
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -fpatchable-function-entry=4,2 %{kernel} -Rpass=patchbay -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=REMARK

// If no function has a NOP at its entry, nothing can be traced, and the code
// is the same as without the plugin.
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -fsanitize=kcfi -fpatchable-function-entry=2,2 %{kernel} -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=NO-ENTRY
// RUN: %clang --target=x86_64-linux-gnu -O2 -fsanitize=kcfi -fpatchable-function-entry=2,2 -c %s -o %t.stock.o
// RUN: cmp %t.stock.o %t.o
// NO-ENTRY: warning: patchbay: {{.*}}: -fpatchable-function-entry=N,N puts no NOP at entries; nothing is instrumented

// A function has a slot even if the option requests no prefix NOPs. If the option names
// a section for the table, the table is in that section.
// RUN: %clang_pass --target=aarch64-linux-gnu -O2 -fpatchable-function-entry=2 -mbranch-protection=bti %{kernel} -S %s -o - | FileCheck %s --check-prefix=BTI

typedef int target(int);

// CHECK-LABEL: .type traced,@function
// X86-NEXT: .ascii "\000\000\000\000\000\000\000\000\303\303\303\270{{.*}}"
// X86-NEXT: traced:
// X86: xchgw %ax, %ax
// X86: addl -4(
// X86: .section __patchable_function_entries,"awo",@progbits,traced
// X86-NEXT: .p2align 3
// X86-NEXT: .quad .Lfunc_begin0

// AARCH64-NEXT: .ascii "\000\000\000\000\000\000\000\000\300\003_\326{{.*}}"
// AARCH64-NEXT: traced:
// AARCH64: nop
// AARCH64-NEXT: nop
// AARCH64: ldur w16, [{{.*}}, #-4]
// AARCH64: .section __patchable_function_entries,"awo",@progbits,traced

// RISCV-NEXT: .ascii "\000\000\000\000\000\000\000\000g\200\000\000{{.*}}"
// RISCV-NEXT: traced:
// RISCV-COUNT-4: nop
// RISCV: lw {{.*}}, -4(
// RISCV: .section __patchable_function_entries,"awo",@progbits,traced

// PPC: .ascii "\000\000\000\000\000\000\000\000 \000\200N{{.*}}"
// PPC-NEXT: traced:
// PPC: .localentry traced
// PPC: nop
// PPC-NEXT: nop
// PPC: lwz {{[0-9]+}}, -4(
// PPC: .section __patchable_function_entries,"awo",@progbits,traced

// STOCK-LABEL: traced:
// STOCK: ldur w16, [{{.*}}, #-12]
// STOCK-LABEL: notrace:
// STOCK: ldur w16, [{{.*}}, #-4]

// BTI: .p2align 3
// BTI: .ascii "\000\000\000\000\000\000\000\000\300\003_\326\300\003_\326"
// BTI: traced:
// BTI: hint #34
// BTI: nop
// BTI-NEXT: nop

// USER: remark: traced: no slot: -fpatchable-function-entry claims its entry
// REMARK: remark: traced: slot, prefix of 16 bytes
#ifndef NOTRACE
int traced(target *f) { return f(1) + 1; }
#endif

// CHECK-LABEL: .type notrace,@function
// CHECK-NOT: .ascii "\000
// CHECK: notrace:
// X86: addl -4(
// AARCH64: ldur w16, [{{.*}}, #-4]
// CHECK-NOT: patchbay_sites
// CHECK: .section .note.patchbay
// CHECK-NOT: patchbay_sites
// MISSED: remark: notrace: no slot: it has no -fpatchable-function-entry, which selects functions in kernel mode
// NOTHING: .text
#ifndef NO_NOTRACE
__attribute__((patchable_function_entry(0, 0))) int notrace(target *f) { return f(2); }
#endif
