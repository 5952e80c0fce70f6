// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that defines what the pass emits gets an error that says so.
// RUN: not %clang_pass --target=x86_64-linux-gnu -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: error: symbol '__patchbay_module_ctor' is already defined
int __patchbay_module_ctor(int a) { return a; }
