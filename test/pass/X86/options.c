// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plugin's options are LLVM options, known if the plugin is loaded before options
// are parsed: in clang (both ways to load), llc and Patchbay's linker. Stock LLD loads
// the plugin later, before code generation.
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

// The last options count, so a file's options override the build's.
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
// HELP-NEXT: --patchbay-attr-list=<file> {{ *}}- Select functions by a list with sections [always] and [never] of entries fun:<glob> and mainfile:<glob>. Attributes in the source override lists, fun overrides mainfile, always overrides never, and the threshold is used last. May be given several times
// HELP-NEXT: --patchbay-disable {{ *}}- Instrument nothing, as if the plugin were not loaded
// HELP-NEXT: --patchbay-ignore-loops {{ *}}- Exclude functions below the threshold even if they have a loop
// HELP-NEXT: --patchbay-instruction-threshold=<n> {{ *}}- Exclude functions of fewer than <n> machine instructions, unless they have a loop
// HELP-NEXT: --patchbay-mode=<value> {{ *}}- What to emit:
// HELP-NEXT:   =auto {{ *}}- {{ *}}kernel mode if all functions of the module have -fpatchable-function-entry, otherwise user mode
// HELP-NEXT:   =user {{ *}}- {{ *}}slots, sites and records, except for functions with -fpatchable-function-entry
// HELP-NEXT:   =kernel {{ *}}- {{ *}}only slots, for functions with -fpatchable-function-entry
// HELP-NEXT: --patchbay-require {{ *}}- Fail if a module has functions, but none of them gets a slot
// HELP-NEXT: --patchbay-zero-sites {{ *}}- x86-64: emit sites with the immediate 0, for memcheck, and for GNU objcopy, which makes hidden symbols local. Arming a function for the first time is slower
// HELP-EMPTY:

int function(int a) { return a; }
