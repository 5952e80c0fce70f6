// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options are LLVM options. They are known if the plugin is loaded before options
// are read. That is so in clang (both ways to load), llc and Patchbay's linker, but
// not in stock LLD, which loads the plugin before code generation.
// DEFINE: %{option} = -patchbay-disable
// DEFINE: %{clang} = %clang --target=x86_64-linux-gnu -c %s
// DEFINE: %{wrong} = FileCheck %s --check-prefixes=UNKNOWN
// RUN: %{clang} -o %t.stock.o
// RUN: %{clang} -o %t.o -fplugin=%pass && not cmp %t.stock.o %t.o
// RUN: %{clang} -o %t.o -fplugin=%pass -mllvm %{option} && cmp %t.stock.o %t.o
// RUN: %{clang} -o %t.o -fpass-plugin=%pass -mllvm %{option} && cmp %t.stock.o %t.o
// RUN: %{clang} -o %t.o -Xclang -load -Xclang %pass -mllvm %{option} && cmp %t.stock.o %t.o
// RUN: %clang --target=x86_64-linux-gnu -S -emit-llvm %s -o %t.ll
// RUN: llc -load %pass -relocation-model=pic -filetype=obj %t.ll -o %t.llc.o %{option}
// RUN: llvm-readelf -S %t.llc.o | FileCheck %s --check-prefix=STOCK
// RUN: llc -load-pass-plugin %pass -filetype=obj %t.ll -o %t.llc.o %{option}
// RUN: llvm-readelf -S %t.llc.o | FileCheck %s --check-prefix=STOCK
// STOCK-NOT: patchbay

// The last options count, so a file's options override those of the build.
// RUN: %{clang} -o %t.o -fplugin=%pass -mllvm %{option} -mllvm %{option}=false && not cmp %t.stock.o %t.o
// RUN: %{clang} -o %t.o -fplugin=%pass -mllvm %{option}=false -mllvm %{option} && cmp %t.stock.o %t.o
// RUN: %{clang} -o %t.o -fplugin=%pass -mllvm -patchbay-mode=kernel -mllvm -patchbay-mode=user && not cmp %t.stock.o %t.o

// RUN: not %{clang} -o %t.o -fplugin=%pass -mllvm -patchbay-disabled 2>&1 | %{wrong},MEANT
// RUN: not %{clang} -o %t.o -fpass-plugin=%pass -mllvm -patchbay-disabled 2>&1 | %{wrong},MEANT
// RUN: not llc -load %pass -patchbay-disabled %t.ll -o %t.o 2>&1 | %{wrong}
// UNKNOWN: Unknown command line argument '-patchbay-disabled'.
// MEANT: Did you mean '--patchbay-disable'?
// RUN: not %{clang} -o %t.o -fplugin=%pass -mllvm -patchbay-instruction-threshold=few 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: for the --patchbay-instruction-threshold option: 'few' value invalid for uint argument!

// RUN: %clang -flto --target=x86_64-linux-gnu -c %s -o %t.o
// RUN: not %stock_lld --load-pass-plugin=%pass -mllvm %{option} %t.o -o %t 2>&1 | FileCheck %s --check-prefix=LINKER
// LINKER: error: -mllvm: ld.lld: Unknown command line argument '-patchbay-disable'.

// RUN: llc -load %pass -help-hidden | FileCheck %s --check-prefix=HELP
// HELP:      Patchbay options:
// HELP-EMPTY:
// HELP-NEXT: --patchbay-attr-list=<file> {{ *}}- Read which functions to instrument, in sections [always] and [never] of entries fun:<glob> and mainfile:<glob>. Attributes in the source come before the list, fun before mainfile, always before never, and all of them before the threshold. May be given several times
// HELP-NEXT: --patchbay-disable {{ *}}- Leave every function alone, as if the plugin were not loaded
// HELP-NEXT: --patchbay-ignore-loops {{ *}}- Leave functions below the threshold alone even if they have a loop
// HELP-NEXT: --patchbay-instruction-threshold=<n> {{ *}}- Leave functions of fewer than <n> machine instructions alone, unless they have a loop
// HELP-NEXT: --patchbay-mode=<value> {{ *}}- What is emitted:
// HELP-NEXT:   =auto {{ *}}- {{ *}}kernel mode in a module where all functions have -fpatchable-function-entry, else user mode
// HELP-NEXT:   =user {{ *}}- {{ *}}slots, sites and records, but none for functions with -fpatchable-function-entry
// HELP-NEXT:   =kernel {{ *}}- {{ *}}slots, and only for functions with -fpatchable-function-entry
// HELP-NEXT: --patchbay-require {{ *}}- Make it an error if a module has functions, but none of them gets a slot
// HELP-NEXT: --patchbay-zero-sites {{ *}}- x86-64: leave the immediates of sites 0, for memcheck and for GNU objcopy that makes hidden symbols local; arming a function for the first time is slower
// HELP-EMPTY:

int function(int a) { return a; }
