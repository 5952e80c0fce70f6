// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A message warns of arguments whose values may be wrong, once per function. If the
// compiler sees both caller and function, the caller need not pass an argument that the
// function does not use. Arguments that are used or passed cause no message.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %buildxx -O2 %s -o %t/prog %link
// DEFINE: %{record} = cd %t && %patchbay record -t function_duration -F main
// RUN: %{record} --args 'half(*)' -o all -- ./prog 2>&1 | FileCheck %s --implicit-check-not=warning
// CHECK: {{^}}patchbay: warning: --args: not used in half(int, int): 'dropped': the compiler may pass any value, so recorded values may be wrong{{$}}
// RUN: %patchbay replay %t/all | FileCheck %s --check-prefix=REPLAY
// REPLAY: half(used=1, dropped=<unused: {{-?[0-9]+}}>) = 1;
// RUN: %patchbay dump --json %t/all | FileCheck %s --check-prefix=JSON
// JSON: "dropped":{{ ?}}{"unknown":"unused: {{-?[0-9]+}}"}
// RUN: %{record} --args 'half(used)' --when 'dropped == 5' -o when -- ./prog 2>&1 | FileCheck %s --check-prefix=WHEN --implicit-check-not=warning
// WHEN: {{^}}patchbay: warning: --when: not used in half(int, int): 'dropped': the compiler may pass any value, so the wrong calls may be recorded{{$}}
// RUN: %{record} --args 'half(used)' --args 'whole(*)' --args 'shared<int>(*)' -o used -- ./prog 2>&1 | FileCheck %s --check-prefix=USED --implicit-check-not=warning
// USED: 1 process recorded
// RUN: %patchbay dump %t/used | FileCheck %s --check-prefix=SHARED
// SHARED: shared<int>(dropped=7) = 0
//
// Parts of a structure in registers may be unused, too. If two members share eight
// bytes, debug information does not say which member is used.
//
// RUN: %{record} --args 'part(at.text, at.size)' -o part -- ./prog 2>&1 | FileCheck %s --check-prefix=PART --implicit-check-not=warning
// PART: {{^}}patchbay: warning: --args: not used in part(Piece): 'at.text': the compiler may pass any value, so recorded values may be wrong{{$}}
// RUN: %{record} --args 'length(*)' -o view -- ./prog 2>&1 | FileCheck %s --check-prefix=VIEW
// VIEW: warning: --args: not used in length({{.*}}): 'view': the compiler
// RUN: %{record} --args 'second(of.x)' -o pair -- ./prog 2>&1 | FileCheck %s --check-prefix=PAIR --implicit-check-not=warning
// PAIR: {{^}}patchbay: warning: --args: debug information does not say whether second(Pair) uses 'of.x': if it does not, recorded values may be wrong{{$}}
// RUN: %patchbay dump %t/pair | FileCheck %s --check-prefix=PAIR-VALUE
// PAIR-VALUE: second(of.x=3)
//
// At most ten functions are named.
//
// RUN: %{record} --args 'many*(*)' -o many -- ./prog 2> %t/err
// RUN: FileCheck %s --check-prefix=MANY < %t/err
// MANY: {{^}}patchbay: warning: --args: not used in 2 more functions: the compiler may pass any value, so recorded values may be wrong{{$}}
// RUN: grep -c 'not used in many' %t/err | FileCheck %s --check-prefix=TEN
// TEN: {{^}}10{{$}}
#include "../Inputs/check.h"
#include <string_view>

#define KEPT __attribute__((noinline, used))

KEPT int half(int used, int dropped) {
  __asm__ volatile("" : "+r"(used));
  return used;
}

KEPT int whole(int a, int b) {
  __asm__ volatile("" : "+r"(a), "+r"(b));
  return a + b;
}

// The linker may choose another file's definition, so callers must pass all arguments.
template <typename T> KEPT T shared(T dropped) {
  __asm__ volatile("");
  return 0;
}

struct Piece {
  const char *text;
  long size;
};
KEPT long part(Piece at) {
  __asm__ volatile("" : "+r"(at.size));
  return at.size;
}
KEPT size_t length(std::string_view view) {
  __asm__ volatile("");
  return view.size();
}
struct Pair {
  float x, y;
};
KEPT long second(Pair of) { return (long)of.y; }

#define MANY(N) KEPT void many##N(int dropped) { __asm__ volatile(""); }
// clang-format off
MANY(0) MANY(1) MANY(2) MANY(3) MANY(4) MANY(5) MANY(6) MANY(7) MANY(8) MANY(9) MANY(10) MANY(11)
// clang-format on

int main() {
  many0(0);
  if (part({"ab", 2}) != 2 || length("abc") != 3 || second({3, 4}) != 4)
    return 1;
  return half(1, 5) + whole(2, 3) + shared(7) == 6 ? 0 : 1;
}
