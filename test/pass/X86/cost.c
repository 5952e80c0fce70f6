// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With kCFI the slot needs no additional text: stock clang uses the same 16 bytes.
// RUN: %clang --target=x86_64-linux-gnu -O2 -fsanitize=kcfi -c %s -o %t.stock.o
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -fsanitize=kcfi -c %s -o %t.pass.o
// RUN: llvm-nm %t.stock.o | FileCheck %s
// RUN: llvm-nm %t.pass.o | FileCheck %s

// The script measures the growth of an object file (llvm-pass/README.md, Limits). In
// this small file, the growth is mostly the data that each object has once.
// RUN: %python %S/../Inputs/growth.py %pass %clang --target=x86_64-linux-gnu %s | FileCheck %s --check-prefix=GROWTH
// GROWTH:      {{^}}-O0: 2 functions, object +{{[0-9]+}} %, text and data +{{[0-9]+}} %, section headers {{[0-9]+}}, then {{[0-9]+$}}
// GROWTH-NEXT: {{^}}-O2: 2 functions, object +{{[0-9]+}} %, text and data +{{[0-9]+}} %, section headers {{[0-9]+}}, then {{[0-9]+$}}

void first(void) {}
void second(void) {}

// CHECK:      10 T first
// CHECK:      30 T second
