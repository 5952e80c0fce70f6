; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Code generation by the new pass manager is an error, because it would silently ignore
; the plugin.
; DEFINE: %{llc} = llc -mtriple=x86_64-linux-gnu -load-pass-plugin=%pass %s
; RUN: not %{llc} -enable-new-pm -o %t.s 2>&1 | FileCheck %s --implicit-check-not={{.}}
; CHECK: error: patchbay: code generation by the new pass manager (-fenable-new-pm-codegen, llc -enable-new-pm) cannot run the plugin: remove the option

; No error if there is no function to instrument.
; RUN: %{llc} -enable-new-pm=false -o %t.s && FileCheck --check-prefix=SITE --input-file=%t.s %s
; SITE: patchbay_sites
; RUN: llc -mtriple=x86_64-linux-gnu -enable-new-pm %s -o /dev/null 2> %t.without; \
; RUN:   %{llc} -enable-new-pm -patchbay-disable -o /dev/null 2> %t.disabled; \
; RUN:   not grep patchbay: %t.without %t.disabled
define void @f() {
  ret void
}
