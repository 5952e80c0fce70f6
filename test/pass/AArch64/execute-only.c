// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions in execute-only code have no slots, because trampolines read slots. The
// plugin adds no readable code, so the linked output stays execute-only.
// DEFINE: %{cc} = %clang_pass --target=aarch64-linux-gnu -O2 -fPIC -mexecute-only -Rpass-missed=patchbay -c %s -o %t.o
// RUN: %{cc} 2>&1 | FileCheck %s --implicit-check-not=remark:
// RUN: llvm-readelf -S %t.o | FileCheck %s --check-prefix=SECTIONS --implicit-check-not=patchbay
// RUN: %if lld %{ %ld.lld -shared %t.o -o %t.so && llvm-readelf -lW %t.so | FileCheck %s --check-prefix=LOAD %}
// CHECK: remark: plain: no slot: its code is execute-only (-mexecute-only), so a slot in it cannot be read
// CHECK: warning: patchbay: {{.*}}: no function has a slot: its code is execute-only (-mexecute-only), so a slot in it cannot be read (1)
// SECTIONS: .text PROGBITS {{.*}} AXy
// LOAD-NOT: R E
// LOAD: LOAD {{.*}}  E 0x

// In kernel mode a missing slot is an error, because LLVM's table lists the function.
// RUN: not %{cc} -fpatchable-function-entry=2 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: error: patchbay: plain: LLVM's table lists its entry, but it has no slot: its code is execute-only (-mexecute-only), so a slot in it cannot be read
int plain(int a) { return a; }
