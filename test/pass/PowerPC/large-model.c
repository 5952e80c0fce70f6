// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With -mcmodel=large, functions that use r2 have their distance to the TOC between
// hash and entry, where callers expect the hash. The pass reports this, adds no slot,
// and does not change the code.
// REQUIRES: qemu-ppc64le
// RUN: %clang --target=powerpc64le-linux-gnu -fno-pic -mcmodel=large -O2 -fsanitize=kcfi -c %s -o %t.stock.o
// RUN: %clang_pass --target=powerpc64le-linux-gnu -fno-pic -mcmodel=large -O2 -fsanitize=kcfi -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WARNING
// RUN: cmp %t.stock.o %t.o
// WARNING: warning: patchbay: {{.*}}large-model.c: -mcmodel=large puts functions out of a record's reach; nothing is instrumented

// Upstream's callers read half of the distance as the hash, so a correct call
// traps. These lines fail when upstream is fixed.
// RUN: %clang --target=powerpc64le-linux-gnu -fno-pic -mcmodel=large -O2 -fsanitize=kcfi -S %s -o - | FileCheck %s --check-prefix=STOCK
// RUN: %clang --target=powerpc64le-linux-gnu -fuse-ld=lld -static %t.stock.o -o %t
// RUN: %python %S/../Inputs/expect-signal.py SIGTRAP qemu-ppc64le %t
// STOCK:      .type uses_r2,@function
// STOCK-NEXT: .long 329620
// STOCK-NEXT: .Lfunc_toc0:
// STOCK-NEXT: .quad .TOC.-.Lfunc_gep0
// STOCK-NEXT: uses_r2:
// STOCK:      .type main,@function
// STOCK:      lwz {{[0-9]+}}, -4(
int data = 1;
__attribute__((noinline)) int uses_r2(int a) { return a + data; }
int (*volatile pointer)(int) = uses_r2;
int main(void) { return pointer(1) != 2; }
