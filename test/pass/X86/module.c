// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constructor and destructor work with every type of link: they call a loaded runtime
// before the program's own constructors and after its destructors. A program without a
// runtime runs normally.
// REQUIRES: host-x86_64, gnu-binutils
// RUN: %clang -O2 -fPIC %S/../Inputs/runtime.c -shared -o %t.runtime.so -I %patchbay_include
// RUN: %clang -O2 -c %S/../Inputs/runtime.c -o %t.runtime.o -I %patchbay_include
// RUN: %clang_pass -O2 -ffunction-sections -fsanitize=kcfi -fno-pic -c %s -o %t.o
// RUN: %clang_pass -O2 -ffunction-sections -fsanitize=kcfi -fPIC -c %s -o %t.pic.o
// RUN: %clang_pass -O2 -ffunction-sections -fsanitize=kcfi -fPIC -c %s -o %t.second.o -DSECOND

// RUN: %clang -fuse-ld=lld -no-pie %t.o %t.second.o -o %t
// RUN: %t | FileCheck %s --check-prefix=ALONE --implicit-check-not=register
// RUN: env LD_PRELOAD=%t.runtime.so %t | FileCheck %s
// RUN: %clang -fuse-ld=lld -pie %t.pic.o %t.second.o -o %t
// RUN: %t | FileCheck %s --check-prefix=ALONE --implicit-check-not=register
// RUN: env LD_PRELOAD=%t.runtime.so %t | FileCheck %s
// RUN: %clang -fuse-ld=lld -static %t.o %t.second.o -o %t
// RUN: %t | FileCheck %s --check-prefix=ALONE --implicit-check-not=register
// RUN: %clang -fuse-ld=lld -static %t.o %t.second.o %t.runtime.o -o %t && %t | FileCheck %s
// RUN: %clang -fuse-ld=lld -static-pie %t.pic.o %t.second.o -o %t
// RUN: %t | FileCheck %s --check-prefix=ALONE --implicit-check-not=register
// RUN: %clang -fuse-ld=lld -static-pie %t.pic.o %t.second.o %t.runtime.o -o %t && %t | FileCheck %s

// RUN: %clang -fuse-ld=bfd -no-pie %t.o %t.second.o -o %t
// RUN: %t | FileCheck %s --check-prefix=ALONE --implicit-check-not=register
// RUN: env LD_PRELOAD=%t.runtime.so %t | FileCheck %s
// RUN: %clang -fuse-ld=bfd -pie %t.pic.o %t.second.o -o %t
// RUN: %t | FileCheck %s --check-prefix=ALONE --implicit-check-not=register
// RUN: env LD_PRELOAD=%t.runtime.so %t | FileCheck %s
// RUN: %clang -fuse-ld=bfd -static %t.o %t.second.o %t.runtime.o -o %t && %t | FileCheck %s
// RUN: %clang -fuse-ld=bfd -static-pie %t.pic.o %t.second.o %t.runtime.o -o %t && %t | FileCheck %s

// Two modules with one descriptor each.
// RUN: %clang -fuse-ld=lld -shared %t.second.o -o %t.dso.so
// RUN: %clang -fuse-ld=lld -pie %t.pic.o %t.dso.so -o %t
// RUN: env LD_PRELOAD=%t.runtime.so %t | FileCheck %s --check-prefix=TWO

// If --gc-sections drops all functions, the module still links, runs and registers,
// without records.
// RUN: echo 'int main(void) { return 0; }' > %t.main.c
// RUN: %clang -fuse-ld=lld -pie -Wl,--gc-sections %t.main.c %t.second.o -o %t
// RUN: %t && env LD_PRELOAD=%t.runtime.so %t | FileCheck %s --check-prefix=NONE
// RUN: %clang -fuse-ld=lld -static -Wl,--gc-sections %t.main.c %t.second.o %t.runtime.o -o %t
// RUN: %t | FileCheck %s --check-prefix=NONE
// RUN: %clang -fuse-ld=bfd -pie -Wl,--gc-sections,-z,start-stop-gc %t.main.c %t.second.o -o %t
// RUN: %t && env LD_PRELOAD=%t.runtime.so %t | FileCheck %s --check-prefix=NONE

#include <stdio.h>

int second(int a);
#ifdef SECOND
int second(int a) { return a + 1; }
#else
static __attribute__((constructor)) void constructor(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  puts("constructor");
}
static __attribute__((destructor)) void destructor(void) { puts("destructor"); }
int main(void) { return printf("main %d\n", second(1)) < 0; }
#endif

// ALONE:      {{^}}constructor
// ALONE-NEXT: main 2
// ALONE-NEXT: destructor
// CHECK:      register abi=2 size=64 records=4
// CHECK-NEXT: {{^}}constructor
// CHECK-NEXT: main 2
// CHECK-NEXT: destructor
// CHECK-NEXT: unregister abi=2 size=64 records=4
// CHECK-NOT:  register
// TWO:        register abi=2 size=64 records=1
// TWO-NEXT:   register abi=2 size=64 records=3
// TWO:        main 2
// TWO:        unregister abi=2 size=64 records=3
// TWO-NEXT:   unregister abi=2 size=64 records=1
// NONE:       {{^}}register abi=2 size=64 records=0
// NONE-NEXT:  unregister abi=2 size=64 records=0
