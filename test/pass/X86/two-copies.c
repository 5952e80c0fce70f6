// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plugin is loaded from two files, for example an installed one that a
// configuration file names, and one of a build tree. If they are equal, the second one
// has no effect. If they differ, an error names both before compilation starts.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: cp %pass a.so && cp %pass b.so && cp %pass newer.so && echo >> newer.so
// DEFINE: %{cc} = %clang --target=x86_64-linux-gnu -O2 -c %s
// RUN: %{cc} -fplugin=./a.so -o one.o
// RUN: %{cc} -fplugin=./a.so -fplugin=./b.so -o two.o && cmp one.o two.o
// RUN: %{cc} -fplugin=./a.so -fpass-plugin=./b.so -o two.o && cmp one.o two.o
// RUN: %{cc} -fpass-plugin=./a.so -fpass-plugin=./b.so -o two.o && cmp one.o two.o
// Options reach the copy that is used.
// RUN: %clang --target=x86_64-linux-gnu -O2 -c %s -o plain.o
// RUN: %{cc} -fplugin=./a.so -fplugin=./b.so -Xclang -mllvm -Xclang -patchbay-disable -o two.o && cmp plain.o two.o

// RUN: not %{cc} -fplugin=./a.so -fplugin=./newer.so -o three.o > out 2>&1
// RUN: FileCheck %s --input-file=out && count 1 < out
// RUN: not ls three.o
// CHECK: error: patchbay: two different plugins are loaded, './a.so' and './newer.so': load one of them{{$}}
// RUN: %clang --target=x86_64-linux-gnu -S -emit-llvm %s -o one.ll
// RUN: not llc -load ./a.so -load ./newer.so one.ll -filetype=obj -o three.o 2>&1 | FileCheck %s --check-prefix=LLC
// LLC: patchbay: two different plugins are loaded, './a.so' and './newer.so'

// REQUIRES: lld
// RUN: %clang --target=x86_64-linux-gnu -flto -c %s -o lto.o
// RUN: %ld.lld -shared --load-pass-plugin=./a.so lto.o -o one.so
// RUN: %ld.lld -shared --load-pass-plugin=./a.so --load-pass-plugin=./b.so lto.o -o two.so && cmp one.so two.so
// RUN: not %ld.lld -shared --load-pass-plugin=./a.so --load-pass-plugin=./newer.so lto.o -o two.so 2>&1 | FileCheck %s --check-prefix=LINK
// LINK: patchbay: two different plugins are loaded, './a.so' and './newer.so'

int function(int a) { return a; }
