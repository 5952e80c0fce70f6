// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With LTO the linker generates code and loads the plugin. The module registers once.
// (X86/lto.c tests this natively.)
// REQUIRES: qemu-aarch64, qemu-ppc64le, qemu-riscv64
// DEFINE: %{target} =
// DEFINE: %{run} =
// DEFINE: %{lto} = full
// DEFINE: %{partitions} = 1
// DEFINE: %{hash} = 0x50794
// DEFINE: %{cfi} = -fsanitize=kcfi
// DEFINE: %{clang} = %clang --target=%{target}-linux-gnu -O2 %{cfi}
// DEFINE: %{check} = %{clang} -flto=%{lto} -c %s -o %t.1.o && %{clang} -flto=%{lto} -c %s -o %t.2.o -DSECOND \
// DEFINE:   && %{clang} -fPIC -I %patchbay_include %S/Inputs/runtime.c -fuse-ld=lld -shared -o %t.runtime.so \
// DEFINE:   && %{clang} -flto=%{lto} -fuse-ld=lld -Wl,--load-pass-plugin=%pass,--lto-partitions=%{partitions} \
// DEFINE:      %t.1.o %t.2.o %t.runtime.so -o %t > %t.txt 2>&1 \
// DEFINE:   && %{run} -L /usr/%{target}-linux-gnu %t | FileCheck %s \
// DEFINE:   && %records %t | FileCheck %s --check-prefix=RECORD -DHASH=%{hash}
// REDEFINE: %{target} = aarch64
// REDEFINE: %{run} = qemu-aarch64
// RUN: %{check}
// REDEFINE: %{target} = powerpc64le
// REDEFINE: %{run} = qemu-ppc64le
// RUN: %{check}
// REDEFINE: %{target} = riscv64
// REDEFINE: %{run} = qemu-riscv64
// RUN: %{check}

// Linkers ignore the groups in LTO output.
// REDEFINE: %{partitions} = 2
// RUN: %{check}
// REDEFINE: %{lto} = thin
// RUN: %{check}
// REDEFINE: %{target} = powerpc64le
// REDEFINE: %{run} = qemu-ppc64le
// RUN: %{check}

// The linker does not know the functions' CPU. The pass's data causes no error about the
// CPU. (Upstream reports one if a file has its own assembly, and kCFI adds assembly.)
// REDEFINE: %{target} = riscv64
// REDEFINE: %{run} = qemu-riscv64
// REDEFINE: %{cfi} =
// REDEFINE: %{hash} = 0x0
// RUN: %{check} && count 0 < %t.txt

int second(int a);
#ifdef SECOND
__attribute__((noinline, used)) int second(int a) { return a + 1; }
#else
#include <stdio.h>
int (*volatile pointer)(int) = second;
int main(void) { return printf("main %d\n", pointer(1)) < 0; }
#endif

// CHECK:     register abi=2 size=64 records=2
// CHECK-NEXT: main 2
// CHECK-NEXT: unregister abi=2 size=64 records=2
// CHECK-NOT: {{.}}
// RECORD-DAG: second gp=1 fp=0 stack=0 ret=gp site=+0 hash=[[HASH]]
// RECORD-DAG: main gp=0
