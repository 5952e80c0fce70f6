// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Over kCFI the slot needs no text: stock clang uses the same 16 bytes.
// RUN: %clang --target=x86_64-linux-gnu -O2 -fsanitize=kcfi -c %s -o %t.stock.o
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -fsanitize=kcfi -c %s -o %t.pass.o
// RUN: llvm-nm %t.stock.o | FileCheck %s
// RUN: llvm-nm %t.pass.o | FileCheck %s

void first(void) {}
void second(void) {}

// CHECK:      10 T first
// CHECK:      30 T second
