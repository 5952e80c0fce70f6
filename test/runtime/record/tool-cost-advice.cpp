// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If tracing took too much time, `report` advises to exclude the most frequent function
// or its namespace, but never the program's only namespace.
// RUN: rm -rf %t && mkdir -p %t/one %t/two
// RUN: %buildxx %s -o %t/one/prog
// RUN: %buildxx -DLIBRARY=lib %s -o %t/two/prog
// DEFINE: %{run} = env LD_PRELOAD=%patchbay_lib/libpatchbay-trace.so PATCHBAY='tracer=function_duration,filter=*,cost=1000000/1000000/0/1000,output=.' ./prog
// RUN: cd %t/one && %{run} && %patchbay report . 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: cd %t/two && %{run} && %patchbay report . 2>&1 | FileCheck %s --check-prefix=TWO
// ONE: {{^}}patchbay: .: {{.*}}: try --max-overhead 10%{{$}}
// TWO: {{^}}patchbay: .: {{.*}}: try -N 'lib::*' or --max-overhead 10%{{$}}
#ifndef LIBRARY
#define LIBRARY game
#endif

#define OPAQUE __attribute__((noinline, optnone))

namespace LIBRARY {
OPAQUE int a(int n) { return n; }
OPAQUE int b(int n) { return n; }
OPAQUE int c(int n) { return n; }
OPAQUE int d(int n) { return n; }
} // namespace LIBRARY

namespace game {
OPAQUE int step(int n) {
  return LIBRARY::a(n) + LIBRARY::b(n) + LIBRARY::c(n) + LIBRARY::d(n);
}
} // namespace game

// Not in a namespace: otherwise the namespace would not be advised, because it has all calls.
OPAQUE int outside(int n) { return n; }

int main() {
  for (int i = 0; i < 20000; ++i)
    outside(game::step(i));
}
