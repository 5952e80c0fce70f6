// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that exist in no source, such as the one that the compiler makes for
// noexcept functions, are omitted without a message. Other omitted functions are
// reported.
// RUN: rm -rf %t && mkdir %t
// RUN: %buildxx %s -o %t/prog %link
// RUN: %patchbay list %t/prog | FileCheck %s --check-prefix=THERE
// THERE: __clang_call_terminate
// RUN: cd %t && %patchbay record -t function_duration -- ./prog 2>&1 | FileCheck %s
// CHECK: 1 function whose calls cannot be timed was left out (variadic
// RUN: cd %t && %patchbay info | FileCheck %s --check-prefix=INFO --implicit-check-not=__clang_call
// INFO: left out variadic{{.*}}: is variadic, so its arguments cannot be passed on
#include <cstdarg>

__attribute__((noinline)) int variadic(int n, ...) {
  va_list List;
  va_start(List, n);
  int First = va_arg(List, int);
  va_end(List);
  return First;
}

__attribute__((noinline)) void mayThrow(int n) {
  if (n > 5)
    throw n;
}

__attribute__((noinline)) void mustNotThrow(int n) noexcept { mayThrow(n); }

int main(int argc, char **) {
  mustNotThrow(argc);
  return variadic(1, argc) - argc;
}
