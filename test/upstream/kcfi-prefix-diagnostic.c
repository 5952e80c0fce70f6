// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// llvm-pass/upstream/kcfi-prefix-diagnostic.md
// XFAIL: *
// RUN: env LLVM_DISABLE_SYMBOLIZATION=1 not %clang --target=powerpc64le-linux-gnu -S -O2 -fsanitize=kcfi -fpatchable-function-entry=4,2 -gen-reproducer=off %s -o /dev/null 2>&1 | FileCheck %s

// CHECK-NOT: Stack dump
// CHECK: error: -fpatchable-function-entry=N,M, where M>0 is not compatible with -fsanitize=kcfi on this target
// CHECK-NOT: Stack dump
void f(void (*p)(void)) { p(); }
