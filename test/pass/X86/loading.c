// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All ways to load the plugin give the same bytes. A plugin loaded in two ways
// instruments once.
// RUN: %clang --target=x86_64-linux-gnu -O2 -fsanitize=kcfi -fplugin=%pass -c %s -o %t.plugin.o
// RUN: llvm-readelf -SW %t.plugin.o | FileCheck %s
// RUN: %clang --target=x86_64-linux-gnu -O2 -fsanitize=kcfi -fpass-plugin=%pass -c %s -o %t.o
// RUN: cmp %t.plugin.o %t.o
// RUN: %clang --target=x86_64-linux-gnu -O2 -fsanitize=kcfi -fplugin=%pass -fpass-plugin=%pass -c %s -o %t.o
// RUN: cmp %t.plugin.o %t.o
// RUN: %clang --target=x86_64-linux-gnu -O2 -fsanitize=kcfi -S -emit-llvm %s -o %t.ll
// RUN: llc -load %pass -O2 -relocation-model=pic -filetype=obj %t.ll -o %t.llc.o
// RUN: llvm-readelf -SW %t.llc.o | FileCheck %s
// RUN: llc -load-pass-plugin %pass -O2 -relocation-model=pic -filetype=obj %t.ll -o %t.o
// RUN: cmp %t.llc.o %t.o

// If one process compiles several modules, each has the same code as alone.
// RUN: llc -load %pass -O2 -relocation-model=pic -filetype=obj -compile-twice %t.ll -o %t.o
// RUN: cmp %t.llc.o %t.o

// A disabled plugin has no effect.
// RUN: %clang --target=x86_64-linux-gnu -O2 -fsanitize=kcfi -c %s -o %t.stock.o
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -fsanitize=kcfi -mllvm -patchbay-disable -c %s -o %t.o
// RUN: cmp %t.stock.o %t.o

int one(int a) { return a; }
int two(int a) { return a; }

// CHECK: {{ }}patchbay_sites PROGBITS {{[0-9a-f]+ [0-9a-f]+}} 000020
// CHECK-NOT: {{ }}patchbay_sites
