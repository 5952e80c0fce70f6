// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A record describes the function in its own object, even if the function's symbol is
// interposed. The record refers to no symbol and needs no dynamic relocation.
// RUN: %clang_pass --target=x86_64-linux-gnu -O2 -fPIC -fsemantic-interposition -c %s -o %t.o
// RUN: llvm-readelf -rW %t.o | FileCheck %s --check-prefix=OBJECT
// RUN: %shared %t.o -o %t.so
// RUN: llvm-readelf -rSW %t.so | FileCheck %s --check-prefix=SHARED
// RUN: %records %t.so | FileCheck %s --implicit-check-not=gp=

__attribute__((weak)) int weak(int a) { return a; }
int strong(int a) { return weak(a); }
int alias(int) __attribute__((alias("weak")));

// OBJECT:      Relocation section '.relapatchbay_sites'
// OBJECT-NOT:  {{weak|strong|alias}}
// OBJECT:      R_X86_64_PC32 {{.*}} .text + 10{{$}}
// OBJECT-NEXT: R_X86_64_PC32 {{.*}} .text + 10{{$}}

// Only the constructor, the destructor, the stubs' targets and calls have relocations.
// SHARED:     patchbay_sites PROGBITS {{.*}} AL
// SHARED:     .rela.dyn
// SHARED-NOT: patchbay_sites
// SHARED-COUNT-8: R_X86_64_RELATIVE
// SHARED-NOT: R_X86_64_RELATIVE

// CHECK-DAG: alias/weak gp=1
// CHECK-DAG: strong gp=1
