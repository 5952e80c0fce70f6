// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With LTO the linker generates code and loads the plugin. Linkers ignore the
// groups in LTO output, but the module is still registered once.
// REQUIRES: host-x86_64
// RUN: %clang -O2 -fPIC %S/../Inputs/runtime.c -shared -o %t.runtime.so -I %patchbay_include
// RUN: %clang -flto=full -O2 -fsanitize=kcfi -c %s -o %t.1.o
// RUN: %clang -flto=full -O2 -fsanitize=kcfi -c %s -o %t.2.o -DSECOND
// RUN: %clang -flto=full -fuse-ld=lld -fsanitize=kcfi -Wl,--load-pass-plugin=%pass %t.1.o %t.2.o %t.runtime.so -o %t
// RUN: %t | FileCheck %s
// RUN: %records %t | FileCheck %s --check-prefix=RECORD
// RUN: %clang -flto=full -fuse-ld=lld -fsanitize=kcfi -Wl,--load-pass-plugin=%pass,--lto-partitions=2 %t.1.o %t.2.o %t.runtime.so -o %t
// RUN: %t | FileCheck %s
// RUN: %clang -flto=thin -O2 -fsanitize=kcfi -c %s -o %t.1.o
// RUN: %clang -flto=thin -O2 -fsanitize=kcfi -c %s -o %t.2.o -DSECOND
// RUN: %clang -flto=thin -fuse-ld=lld -fsanitize=kcfi -Wl,--load-pass-plugin=%pass %t.1.o %t.2.o %t.runtime.so -o %t
// RUN: %t | FileCheck %s
// RUN: %records %t | FileCheck %s --check-prefix=RECORD
// RUN: %clang_pass -O2 -fsanitize=kcfi -c %s -o %t.2.o -DSECOND
// RUN: %clang -flto=thin -fuse-ld=lld -fsanitize=kcfi -Wl,--load-pass-plugin=%pass %t.1.o %t.2.o %t.runtime.so -o %t
// RUN: %t | FileCheck %s

int second(int a);
#ifdef SECOND
__attribute__((noinline, used)) int second(int a) { return a + 1; }
#else
#include <stdio.h>
int (*volatile pointer)(int) = second;
int main(void) { return printf("main %d\n", pointer(1)) < 0; }
#endif

// CHECK:     register abi=2 size=64 records=2
// CHECK-NOT: {{^}}register
// CHECK:     main 2
// CHECK:     unregister abi=2 size=64 records=2
// CHECK-NOT: unregister
// RECORD-DAG: second gp=1 fp=0 stack=0 ret=gp site=+0 hash=0x50794
// RECORD-DAG: main gp=0
