// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments are recorded with names and types, in any location, with their values at
// the start of the call. Values that cannot be read are reported, and do no harm.
// RUN: rm -rf %t && mkdir %t
// RUN: %buildxx -std=c++20 %s -o %t/prog %link
// RUN: cd %t && %patchbay record -t function_duration --args 'numbers(*)' --args 'texts(*)' --args 'handle(r->uri, r->peer->port, r->kind, r->name, r->raw, r->flags, retval)' --args 'many(a, g, h)' --args 'floats(*)' --args 'changes(text, retval)' --args 'svc::Cache::get(this->size, key, retval)' --args 'pair(p.first, p.second)' --args 'throws(n, retval)' --args 'wrong(r->uri, p)' --args 'large(n, retval.b)' --args 'special(*)' -- ./prog > out
// RUN: %patchbay dump %t/patchbay.data > %t/dump
// RUN: FileCheck %s < %t/dump
// CHECK-DAG: returned numbers(b=true, c='x', s=-2, u=65535, l=-5, color=Green, access=Read|Write, p=NULL) = -7{{$}}
// CHECK-DAG: returned numbers(b=false, c=10, s=3, u=1, l=-9223372036854775808, color=7, access=None, p=0x1000) = 0{{$}}
// CHECK-DAG: returned texts(c="plain", s="a std::string of some length, so not within itself", v="short", n=NULL) = "made"{{$}}
// CHECK-DAG: returned texts(c="quote\" and\nline", s="{{x+}}"..., v="", n="{{y+}}"...) = "made"{{$}}
// CHECK-DAG: returned handle(r->uri="/index", r->peer->port=8080, r->kind=Put, r->name="{{a+}}", r->raw="abc", r->flags=6) = 404{{$}}
// CHECK-DAG: returned handle(r->uri=NULL, r->peer->port=NULL, r->kind=Get, r->name="", r->raw="12345678", r->flags=0) = 404{{$}}
// CHECK-DAG: returned many(a=1, g=7, h=0.5){{$}}
// CHECK-DAG: returned floats(x=1.5, y=-0.25, n=3) = 4.25{{$}}
// CHECK-DAG: returned special(inf=-inf, most=18446744073709551615) = 18446744073709551615{{$}}
// CHECK-DAG: returned changes(text="before") = "after"{{$}}
// CHECK-DAG: returned svc::Cache<int>::get(this->size=3, key="k") = 3{{$}}
// CHECK-DAG: returned pair(p.first=1, p.second=2){{$}}
// CHECK-DAG: unwound throws(n=4){{$}}
// CHECK-DAG: returned wrong(r->uri=<unreadable>, p=<unreadable: 0x10>){{$}}
// CHECK-DAG: returned wrong(r->uri=<unreadable>, p=<unreadable: 0x{{[0-9a-f]+}}ffc>){{$}}
// CHECK-DAG: returned large(n=5) = retval.b=6{{$}}
//
// JSON has numbers with all digits, and unchanged strings.
// RUN: %patchbay dump --json %t/patchbay.data > %t/json
// RUN: %python %S/../Inputs/typed-json.py %t/json | FileCheck %s --check-prefix=TYPES
// TYPES: {{^}}15 calls have their values{{$}}
//
// Other tracers record arguments, too. A recursion may exceed the space for arguments.
// RUN: cd %t && %patchbay record -t function --args 'throws(n)' -F main -- ./prog > out
// RUN: %patchbay dump %t/patchbay.data | FileCheck %s --check-prefix=ENTRY
// ENTRY-DAG: entry throws(n=4) <- main
// RUN: cd %t && %patchbay record -t function_graph --args 'deep(n, retval)' -F main -- ./prog > out
// RUN: %patchbay replay %t/patchbay.data | FileCheck %s --check-prefix=DEEP
// DEEP: deep(n=1000)
// DEEP: deep(n=999)
// DEEP: deep(n=<not kept>)
// DEEP: /* deep(int) = 1000 */
//
// Other output formats contain the arguments, too.
// RUN: cd %t && %patchbay record -t function_duration --args 'svc::*::get(this->size, key, retval)' -F main -- ./prog > out
// RUN: %patchbay dump --json %t/patchbay.data | FileCheck %s --check-prefix=JSON
// JSON: "args":{"this->size":3,"key":"k"},"result":3
// RUN: %patchbay dump --csv %t/patchbay.data | FileCheck %s --check-prefix=CSV
// CSV: "this->size=3, key=""k""",3,
// RUN: %patchbay dump --chrome %t/patchbay.data | FileCheck %s --check-prefix=CHROME
// CHROME: "args":{"args":{"this->size":3,"key":"k"},"result":3}
// RUN: %patchbay dump --perfetto -o %t/pftrace %t/patchbay.data && grep -ao 'args2.this->size=3, key="k"' %t/pftrace && grep -ao 'result2.3' %t/pftrace
//
// A forked child's file refers to its parent's file for the description of arguments.
// RUN: cd %t && %patchbay record -t function_duration --args 'in_child(n)' -F main -- ./prog fork > out
// RUN: %patchbay dump %t/patchbay.data | FileCheck %s --check-prefix=CHILD
// CHILD: returned in_child(n=77)
//
// --when records only matching calls, even with --under.
// RUN: cd %t && %patchbay record -t function_duration --args 'numbers(l, color)' --when 'l < -5' -- ./prog 2>&1 > out | FileCheck %s --check-prefix=LEFT
// LEFT: patchbay: patchbay.data: 1 call of numbers was excluded (--when)
// RUN: cd %t && %patchbay record -o without -t function_duration --args 'numbers(l, color)' -- ./prog > out
// RUN: %patchbay report %t/patchbay.data --diff %t/without 2>&1 > %t/out | FileCheck %s --check-prefix=DIFF
// DIFF: were recorded with different options, {{.*}}: calls that --when excluded: 0 / 1{{$}}
// RUN: %patchbay dump %t/patchbay.data | FileCheck %s --check-prefix=LESS --implicit-check-not=Green
// LESS: numbers(l=-9223372036854775808, color=7)
// RUN: cd %t && %patchbay record -t function_graph --args 'numbers(l, color)' --when 'color == Green && u >= 0xffff && b == true' -- ./prog > out
// RUN: %patchbay dump %t/patchbay.data | FileCheck %s --check-prefix=GREEN --implicit-check-not=color=7
// GREEN: numbers(l=-5, color=Green)
// RUN: cd %t && %patchbay record -t function_duration --args 'numbers(l)' --args 'floats(x)' --when 'retval == -7' --when 'x > 1.25' -- ./prog > out
// RUN: %patchbay dump %t/patchbay.data | FileCheck %s --check-prefix=RESULT --implicit-check-not=l=-9 --implicit-check-not=floats
// RESULT: numbers(l=-5)
// RUN: cd %t && %patchbay record -t function_duration --args 'texts(c)' --when 'v == "short" && n != "other"' -- ./prog > out
// RUN: %patchbay dump %t/patchbay.data | FileCheck %s --check-prefix=TEXTS --implicit-check-not=quote
// TEXTS: texts(c="plain")
// RUN: cd %t && %patchbay record -t function_duration --args 'floats(x, y)' --when 'y < -0.2 && x <= 1.5 && x != 1.25' -- ./prog > out
// RUN: %patchbay dump %t/patchbay.data | FileCheck %s --check-prefix=FLOATS
// FLOATS: floats(x=1.5, y=-0.25)
// RUN: cd %t && %patchbay record -t function_duration --under outer --args 'inner(n)' -- ./prog > out
// RUN: %patchbay dump %t/patchbay.data | FileCheck %s --check-prefix=UNDER --implicit-check-not=n=2
// UNDER: inner(n=1)
#include "../Inputs/check.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

enum class Color : unsigned char { Red, Green, Blue };
enum Access { None = 0, Read = 1, Write = 2 };
enum Kind { Get, Put };

struct Peer {
  char pad[8];
  uint16_t port;
};
struct Base {
  int64_t first;
  unsigned flags;
};
struct Request : Base {
  const char *uri;
  Peer *peer;
  Kind kind;
  std::string name;
  char raw[8];
};

struct Two {
  long first, second;
};
struct Large {
  long a, b, c;
};

OPAQUE int numbers(bool b, char c, short s, unsigned short u, long l,
                   Color color, Access access, void *p) {
  return b ? -7 : 0;
}
OPAQUE std::string texts(const char *c, const std::string &s, std::string v,
                         const char *n) {
  return "made";
}
OPAQUE int handle(Request *r) { return 404; }
OPAQUE void many(int a, int b, int c, int d, int e, int f, int g, double h) {}
OPAQUE double floats(float x, double y, int n) { return x + y + n; }
OPAQUE uint64_t special(double inf, uint64_t most) { return most; }
OPAQUE char *changes(char *text) {
  strcpy(text, "after");
  return text;
}
OPAQUE void pair(Two p) {}
OPAQUE int throws(int n) { throw n; }
OPAQUE void wrong(Request *r, const char *p) {}
OPAQUE Large large(long n) { return {n, n + 1, n + 2}; }
OPAQUE int deep(int n) { return n ? deep(n - 1) + 1 : 0; }
OPAQUE void in_child(int n) {}
OPAQUE void inner(int n) {}
OPAQUE void outer() { inner(1); }

namespace svc {
template <typename T> struct Cache {
  T size;
  OPAQUE T get(const std::string &key) { return size; }
};
} // namespace svc

int main(int argc, char **) {
  if (argc > 1) {
    if (!fork()) {
      in_child(77);
      _exit(0);
    }
    wait(nullptr);
    return 0;
  }
  numbers(true, 'x', -2, 65535, -5, Color::Green, Access(Read | Write), nullptr);
  numbers(false, '\n', 3, 1, INT64_MIN, Color(7), None, (void *)0x1000);
  texts("plain", "a std::string of some length, so not within itself", "short",
        nullptr);
  texts("quote\" and\nline", std::string(100, 'x'), "",
        std::string(100, 'y').c_str());
  Peer peer = {"", 8080};
  Request r = {{1, 6}, "/index", &peer, Put, std::string(40, 'a'), "abc"};
  handle(&r);
  Request empty = {{0, 0}, nullptr, nullptr, Get, "", ""};
  memcpy(empty.raw, "12345678", 8);
  handle(&empty);
  many(1, 2, 3, 4, 5, 6, 7, 0.5);
  floats(1.5, -0.25, 3);
  special(-HUGE_VAL, UINT64_MAX);
  char text[16] = "before";
  changes(text);
  svc::Cache<int> cache = {3};
  cache.get("k");
  pair({1, 2});
  try {
    throws(4);
  } catch (int) {
  }
  large(5);
  deep(1000);
  outer();
  inner(2);
  // Pass an unmapped address, and a string that runs into unmapped memory.
  auto *page = static_cast<char *>(mmap(nullptr, 8192, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  CHECK(page != MAP_FAILED && !munmap(page + 4096, 4096));
  memset(page, 'z', 4096);
  wrong(reinterpret_cast<Request *>(page + 4096), (char *)0x10);
  wrong(reinterpret_cast<Request *>(page + 4096), page + 4092);
  return 0;
}
