// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Defining a symbol that the pass also defines is an error. A declaration of such a
// symbol refers to the pass's symbol.
// RUN: not %clang_pass --target=x86_64-linux-gnu -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clang_pass --target=x86_64-linux-gnu -DSTUBS -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=STUBS
// RUN: %clang_pass --target=x86_64-linux-gnu -DDECLARED -c %s -o %t.o && llvm-nm %t.o | FileCheck %s --check-prefix=DECLARED
// RUN: %clang_pass --target=x86_64-linux-gnu -DDECLARED -Xclang -mllvm -Xclang -patchbay-instruction-threshold=99 -c %s -o %t.o && llvm-nm %t.o | FileCheck %s --check-prefix=NONE
// CHECK: error: patchbay: {{.*}}taken-name.c: it defines '__patchbay_module', a name that Patchbay reserves
// STUBS: error: patchbay: {{.*}}taken-name.c: it defines '__patchbay_stubs_2', a name that Patchbay reserves
// DECLARED: V __patchbay_module{{$}}
// NONE: U __patchbay_module{{$}}
#ifdef DECLARED
extern const char __patchbay_module[];
const char *module(void) { return __patchbay_module; }
#elif defined(STUBS)
int __patchbay_stubs_2(int a) { return a; }
#else
int __patchbay_module(int a) { return a; }
#endif
