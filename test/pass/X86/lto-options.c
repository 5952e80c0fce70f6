// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Patchbay's linker loads the plugin before it parses -mllvm, so the plugin's options
// are known. LTO loads the plugin again.
// REQUIRES: lld
// RUN: %clang --target=x86_64-linux-gnu -flto=full -O2 -fPIC -c %s -o %t.o
// DEFINE: %{remarks} = -mllvm -pass-remarks=patchbay -mllvm -pass-remarks-missed=patchbay
// DEFINE: %{link} = %ld.lld -shared %t.o -o %t.so -mllvm -patchbay-instruction-threshold=4 %{remarks}
// DEFINE: %{check} = FileCheck %s --implicit-check-not='no slot' --implicit-check-not='slot and site' --implicit-check-not=error:
// RUN: %{link} --load-pass-plugin=%pass 2>&1 | %{check}
// RUN: %{link} --load-pass-plugin %pass 2>&1 | %{check}
// RUN: echo '"--load-pass-plugin=%pass"' > %t.rsp
// RUN: %{link} @%t.rsp 2>&1 | %{check}
// RUN: env LLD_IN_TEST=2 %{link} --load-pass-plugin=%pass 2>&1 | FileCheck %s
// RUN: %clang --target=x86_64-linux-gnu -flto=thin -O2 -fPIC -c %s -o %t.o
// RUN: %{link} --load-pass-plugin=%pass 2>&1 | %{check}
// CHECK: small: no slot: it has fewer instructions than -patchbay-instruction-threshold, and no loop
// CHECK: large: slot and site, prefix of 16 bytes

// RUN: not %ld.lld -shared %t.o -o %t.so --load-pass-plugin=%pass -mllvm -patchbay-unknown 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: -mllvm: {{.*}}Unknown command line argument '-patchbay-unknown'.
// RUN: echo '[never' > %t.list
// RUN: not %ld.lld -shared %t.o -o %t.so --load-pass-plugin=%pass -mllvm -patchbay-attr-list=%t.list 2>&1 | FileCheck %s --check-prefix=LIST
// LIST: error: patchbay: error parsing file '{{.*}}.list': malformed section header on line 1: [never; nothing is instrumented
// RUN: not %ld.lld -shared %t.o -o %t.so --load-pass-plugin=%t.absent 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: Could not load library '{{.*}}.absent'

int small(int a) { return a; }
int large(int a) {
  __asm__ volatile("nop");
  __asm__ volatile("nop");
  __asm__ volatile("nop");
  return a;
}
