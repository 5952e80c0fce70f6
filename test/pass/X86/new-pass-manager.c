// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plugin refuses clang's option to generate code with the new pass manager, in
// every position.
// REQUIRES: llvm-23-or-newer
// DEFINE: %{cc} = %clang --target=x86_64-linux-gnu -O1 -c %s -o %t.o
// DEFINE: %{check} = FileCheck %s --implicit-check-not=error:
// RUN: rm -f %t.o
// RUN: not %{cc} -fpass-plugin=%pass -Xclang -fenable-new-pm-codegen 2>&1 | %{check}
// RUN: echo '-Xclang -fenable-new-pm-codegen' > %t.rsp
// RUN: not %{cc} -fpass-plugin=%pass @%t.rsp 2>&1 | %{check}
// RUN: not ls %t.o
// CHECK: error: patchbay: code generation by the new pass manager (-fenable-new-pm-codegen, {{.*}}) cannot run plugins

// The last of two options counts. No error if the plugin is disabled, or if it does not
// support the target.
// RUN: %{cc} -fplugin=%pass -fpass-plugin=%pass -Xclang -fenable-new-pm-codegen -Xclang -fno-enable-new-pm-codegen 2>&1 | count 0
// RUN: llvm-objdump -h %t.o | FileCheck %s --check-prefix=SITE
// SITE: patchbay_sites
// RUN: %{cc} -fplugin=%pass -fpass-plugin=%pass -Xclang -fenable-new-pm-codegen -Xclang -mllvm -Xclang -patchbay-disable 2>&1 | not grep patchbay

int one(int a) { return a; }
