// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel mode on targets where LLVM lowers kCFI checks in IR: functions have slots, and
// the checks find hashes in objects with and without slots.
// DEFINE: %{target} = --target=powerpc64le-linux-gnu -fuse-ld=lld -static -Wno-unused-command-line-argument
// DEFINE: %{cflags} = -O2 -fsanitize=kcfi -c %s
// DEFINE: %{slots} = -fpatchable-function-entry=4,2 -fpass-plugin=%pass
// REQUIRES: qemu-ppc64le
// RUN: %clang %{target} %{cflags} -o %t.main.o -DMAIN
// RUN: %clang %{target} %{cflags} -o %t.other.o
// RUN: %clang %{target} %{cflags} %{slots} -o %t.slots.main.o -DMAIN
// RUN: %clang %{target} %{cflags} %{slots} -o %t.slots.other.o
// RUN: %clang %{target} %t.slots.main.o %t.other.o -o %t && qemu-ppc64le %t
// RUN: %clang %{target} %t.main.o %t.slots.other.o -o %t && qemu-ppc64le %t
// RUN: %clang %{target} %t.slots.main.o %t.slots.other.o -o %t && qemu-ppc64le %t

// Stock clang refuses prefix NOPs on such targets, and crashes in that message (clang
// 23 by a signal). The check precedes code generation, so the plugin must also be given
// by -fpass-plugin. These lines fail when upstream is fixed: -fpass-plugin and
// DropPrefixesPass are then unnecessary.
// DEFINE: %{crash} = %clang %{target} %{cflags} -fno-crash-diagnostics -fpatchable-function-entry=4,2 -DMAIN -o %t.o
// RUN: env LLVM_DISABLE_SYMBOLIZATION=1 not %if llvm-23-or-newer %{--crash%} %{crash} 2>&1 | env FILECHECK_OPTS= FileCheck %s
// RUN: env LLVM_DISABLE_SYMBOLIZATION=1 not %if llvm-23-or-newer %{--crash%} %{crash} -fplugin=%pass 2>&1 | env FILECHECK_OPTS= FileCheck %s
// CHECK: Running pass "kcfi" on function "main"
// CHECK: error: clang frontend command failed

#ifdef MAIN
int other(int);
int (*volatile pointer)(int) = other;
int main(void) { return pointer(1) != 2; }
#else
int other(int a) { return a + 1; }
#endif
