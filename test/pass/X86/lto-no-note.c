// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bitcode that was compiled with -fplugin= alone has nothing in it by which anybody
// could notice that the linker had no plugin: that is said when it is compiled.
// DEFINE: %{compile} = %clang -O1 -fplugin=%pass -c %s -o %t.o
// RUN: %{compile} -flto 2>&1 | FileCheck %s --implicit-check-not={{.}}
// RUN: %{compile} -fno-lto -flto=thin 2>&1 | FileCheck %s --implicit-check-not={{.}}
// CHECK: {{^}}warning: patchbay: with -flto the linker generates code: give it the plugin (--load-pass-plugin=), and compile with -fpass-plugin= of the same file, so that it is noticed where the linker had none{{$}}

// Not where nothing is amiss, or nothing is wanted.
// RUN: %{compile} 2>&1 | count 0
// RUN: %{compile} -flto -fno-lto 2>&1 | count 0
// RUN: %{compile} -flto -fpass-plugin=%pass 2>&1 | count 0
// RUN: %{compile} -flto -ffat-lto-objects 2>&1 | count 0
// RUN: %{compile} -flto -Xclang -mllvm -Xclang -patchbay-disable 2>&1 | count 0
// RUN: %{compile} -flto -E 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT-NOT: warning: patchbay:
// RUN: %{compile} -flto -mllvm=-patchbay-mode=kernel 2>&1 | count 0
int f(int a) { return a; }
