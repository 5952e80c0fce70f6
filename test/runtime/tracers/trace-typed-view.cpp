// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::string_view arguments are shown, with pointer and length in any order. If all
// arguments are requested, one message lists the omitted ones and the reason.
// RUN: rm -rf %t && mkdir %t
// RUN: %buildxx -std=c++20 %s -o %t/prog %link
// RUN: cd %t && %patchbay record -t function_duration --args '*(*)' --args 'member(h->number, h->name)' -N main -- ./prog > out 2> err
// RUN: %patchbay dump %t/patchbay.data > %t/dump
// RUN: FileCheck %s < %t/dump
// CHECK-DAG: returned takes(v="in registers") = 1{{$}}
// CHECK-DAG: returned takes(v="") = 1{{$}}
// CHECK-DAG: returned takes(v="two\000parts") = 1{{$}}
// CHECK-DAG: returned takes(v="{{x+}}"...) = 1{{$}}
// CHECK-DAG: returned takes(v=<unreadable: 0x10>) = 1{{$}}
// CHECK-DAG: returned on_stack(a=1, b=2, c=3, d=4, e=5, v="on the stack", f=6){{$}}
// CHECK-DAG: returned by_reference(v="by reference"){{$}}
// CHECK-DAG: returned by_reference(v=NULL){{$}}
// CHECK-DAG: returned member(h={{.*}}, h->number=7, h->name="in memory"){{$}}
// CHECK-DAG: returned gives(n=3) = "giv"{{$}}
// CHECK-DAG: returned other_library(v="pointer first"){{$}}
// CHECK-DAG: returned in_file(v="of this file alone", n=2) = 2{{$}}
// CHECK-DAG: returned leaves(n=1) = 1{{$}}
//
// JSON has the same strings, and a condition can test one.
// RUN: %patchbay dump --json %t/patchbay.data | FileCheck %s --check-prefix=JSON
// JSON: "args":{"v":"in registers"},"result":1
// RUN: cd %t && %patchbay record -t function_duration --args 'takes(v)' --when 'v == "in registers"' -o when -- ./prog > out
// RUN: %patchbay dump %t/when | FileCheck %s --check-prefix=WHEN --implicit-check-not=two
// WHEN: takes(v="in registers")
//
// The message names ten omitted arguments and the number of the remaining ones.
// RUN: FileCheck %s --check-prefix=LEFT < %t/err
// RUN: grep -c 'leaves out of' %t/err | FileCheck %s --check-prefix=TEN
//      TEN: {{^}}10{{$}}
//     LEFT: patchbay: warning: --args leaves out of leaves(int, Two): 'p' has a type that cannot be recorded: name one of its members: first, second{{$}}
//     LEFT: patchbay: warning: --args leaves out arguments of {{[1-9]}} more functions: to see why, name one, as in --args 'parse(name)'{{$}}
// RUN: cd %t && %patchbay record -t function_duration --args 'keeps(*)' -o keeps -- ./prog 2>&1 > out | FileCheck %s --check-prefix=DROPPED
//  DROPPED: patchbay: warning: --args leaves out of keeps(int, int): 'dropped': it was optimised away, or debug information does not say where it is at the function's entry{{$}}
// A request for particular arguments gets no message.
// RUN: cd %t && %patchbay record -t function_duration --args 'leaves(n)' -o some -- ./prog 2>&1 > out | FileCheck %s --check-prefix=SOME
//     SOME-NOT: leaves out
#include "../Inputs/check.h"

#include <string_view>

namespace std {
namespace __2 {
template <typename C> struct basic_string_view {
  static constexpr unsigned long npos = -1;
  const C *data_;
  unsigned long size_;
};
} // namespace __2
} // namespace std

struct Two {
  long first, second;
};
struct Holder {
  long number;
  std::string_view name;
};

OPAQUE int leaves(int n, Two p) { return n; }
template <int N> OPAQUE void more(int n, Two p) {}
OPAQUE int takes(std::string_view v) { return 1; }
OPAQUE void on_stack(int a, int b, int c, int d, int e, std::basic_string_view<char> v,
                     int f) {}
OPAQUE void by_reference(const std::string_view &v) {}
OPAQUE void member(Holder *h) {}
OPAQUE std::string_view gives(int n) { return std::string_view("gives").substr(0, n); }
OPAQUE void other_library(std::__2::basic_string_view<char> v) {}

// The compiler may change the calling convention of static functions.
static __attribute__((noinline)) int in_file(std::string_view v, int n) {
  __asm__ volatile("" : "+r"(n) : "r"(v.data()), "r"(v.size()) : "memory");
  return n;
}
static __attribute__((noinline)) int keeps(int dropped, int kept) {
  __asm__ volatile("" : "+r"(kept));
  return kept + 1;
}

template <int... N> static void call_more(Two p) { (more<N>(N, p), ...); }

int main(int argc, char **argv) {
  char many[101];
  for (char &c : many)
    c = 'x';
  takes("in registers");
  takes({});
  takes(std::string_view("two\0parts", 9));
  takes(std::string_view(many, sizeof(many)));
  takes(std::string_view(reinterpret_cast<char *>(0x10), 5));
  on_stack(1, 2, 3, 4, 5, "on the stack", 6);
  by_reference("by reference");
  by_reference(*static_cast<std::string_view *>(nullptr));
  Holder h = {7, "in memory"};
  member(&h);
  gives(3);
  other_library({"pointer first", 13});
  leaves(1, {1, 2});
  call_more<1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11>({1, 2});
  return in_file("of this file alone", argc + 1) == 0 || keeps(argc, argc + 1) == 0;
}
