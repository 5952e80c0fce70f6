// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constructor and destructor work with every type of link: they pass one descriptor per
// module to the runtime, before the first constructor and after the last destructor.
// Without a runtime they do nothing. (X86/module.c tests this natively.)
// REQUIRES: qemu-aarch64, qemu-ppc64le, qemu-riscv64
// DEFINE: %{target} =
// DEFINE: %{run} =
// DEFINE: %{link} = %clang -Wno-unused-command-line-argument -fuse-ld=lld %{target} -o %t
// DEFINE: %{compile} = %clang %{target} -O2 -ffunction-sections -c
// DEFINE: %{alone} = %{run} %t | FileCheck %s --check-prefix=ALONE --implicit-check-not=register
// DEFINE: %{preload} = %{run} -E LD_PRELOAD=%t.runtime.so %t | FileCheck %s
// DEFINE: %{no-pie-preload} = && %{preload}
// DEFINE: %{objects} = %{compile} -fplugin=%pass -fno-pic %s -o %t.o \
// DEFINE:   && %{compile} -fplugin=%pass -fPIC %s -o %t.pic.o \
// DEFINE:   && %{compile} -fplugin=%pass -fPIC %s -o %t.second.o -DSECOND \
// DEFINE:   && %{compile} -fPIC %s -o %t.empty.o -DEMPTY \
// DEFINE:   && %{compile} -fPIC -I %patchbay_include %S/Inputs/runtime.c -o %t.runtime.o \
// DEFINE:   && %{link}.runtime.so -shared %t.runtime.o
// DEFINE: %{one} = %{link} -static %t.o %t.second.o && %{alone} \
// DEFINE:   && %{link} -static %t.o %t.second.o %t.runtime.o && %{run} %t | FileCheck %s \
// DEFINE:   && %{link} -no-pie %t.o %t.second.o && %{alone} %{no-pie-preload} \
// DEFINE:   && %{link} -pie %t.pic.o %t.second.o && %{alone} && %{preload}
// Two modules with one descriptor each.
// DEFINE: %{two} = %{link}.dso.so -shared %t.second.o \
// DEFINE:   && %{link} -pie %t.pic.o %t.dso.so && %{alone} && %{preload} --check-prefix=TWO
// If --gc-sections drops all functions, the module registers no records.
// DEFINE: %{none} = %{link} -pie -Wl,--gc-sections %t.empty.o %t.second.o \
// DEFINE:   && %{run} %t | count 0 && %{preload} --check-prefix=NONE \
// DEFINE:   && %{link} -static -Wl,--gc-sections %t.empty.o %t.second.o %t.runtime.o \
// DEFINE:   && %{run} %t | FileCheck %s --check-prefix=NONE

// REDEFINE: %{target} = --target=aarch64-linux-gnu
// REDEFINE: %{run} = qemu-aarch64 -L /usr/aarch64-linux-gnu
// RUN: %{objects}
// RUN: %{one}
// RUN: %{two}
// RUN: %{none}
// On the targets below, code at fixed addresses does not use the GOT, and LLD resolves
// weak references to 0. (A preloaded libpatchbay finds the module by its note.)
// REDEFINE: %{no-pie-preload} =
// REDEFINE: %{target} = --target=powerpc64le-linux-gnu
// REDEFINE: %{run} = qemu-ppc64le -L /usr/powerpc64le-linux-gnu
// RUN: %{objects}
// RUN: %{one}
// RUN: %{two}
// RUN: %{none}
// Code that does not set up r2 also finds its module's descriptor.
// REDEFINE: %{target} = --target=powerpc64le-linux-gnu -mcpu=pwr10
// REDEFINE: %{run} = qemu-ppc64le -cpu power10 -L /usr/powerpc64le-linux-gnu
// RUN: %{objects}
// RUN: %{one}
// RUN: %{two}
// REDEFINE: %{target} = --target=riscv64-linux-gnu
// REDEFINE: %{run} = qemu-riscv64 -L /usr/riscv64-linux-gnu
// RUN: %{objects}
// RUN: %{one}
// RUN: %{two}
// RUN: %{none}
// REDEFINE: %{no-pie-preload} = && %{preload}
// REDEFINE: %{target} = --target=riscv64-linux-gnu -mno-relax -mcmodel=medany
// RUN: %{objects}
// RUN: %{one}

#include <stdio.h>

int second(int a);
#ifdef EMPTY
int main(void) { return 0; }
#elif defined(SECOND)
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
// CHECK-NOT:  {{.}}
// TWO:        register abi=2 size=64 records=1
// TWO-NEXT:   register abi=2 size=64 records=3
// TWO-NEXT:   {{^}}constructor
// TWO-NEXT:   main 2
// TWO-NEXT:   destructor
// TWO-NEXT:   unregister abi=2 size=64 records=3
// TWO-NEXT:   unregister abi=2 size=64 records=1
// TWO-NOT:    {{.}}
// NONE:       {{^}}register abi=2 size=64 records=0
// NONE-NEXT:  unregister abi=2 size=64 records=0
// NONE-NOT:   {{.}}
