// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -fsanitize-cfi-cross-dso creates a function that is aligned to a page, because the CFI
// runtime finds it by its page. This function has no slot: its prefix would be a page.
// REQUIRES: lld
// RUN: %clang --target=x86_64-linux-gnu -O2 -fPIC -flto -fvisibility=hidden -fsanitize=cfi-icall -fsanitize-cfi-cross-dso -c %s -o %t.o
// RUN: %ld.lld -shared -z undefs --load-pass-plugin=%pass %t.o -o %t.so --opt-remarks-filename %t.yaml --opt-remarks-passes patchbay
// RUN: FileCheck %s --input-file=%t.yaml
// RUN: %records %t.so | FileCheck %s --check-prefix=RECORD
// CHECK: --- !Missed
// CHECK: Function: {{ *}}__cfi_check
// CHECK: Reason: {{ *}}only the CFI runtime calls it, and it is aligned to a page{{$}}
// RECORD-NOT: __cfi_check gp=
// RECORD: {{^}}function.cfi gp=1
// RECORD-NOT: __cfi_check gp=
__attribute__((visibility("default"))) int function(int a) { return a; }
