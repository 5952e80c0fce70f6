// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --args records arguments and results of the requested functions only, in any
// registers, also in calls of signal handlers.
// RUN: rm -rf %t && mkdir %t
// RUN: %buildxx %s -o %t/prog %link
// RUN: cd %t && %patchbay record -t function_duration --args '*shown*' -- ./prog
// RUN: %patchbay dump %t/patchbay.data | FileCheck %s --implicit-check-not="plain(int) ="
// CHECK-DAG: returned main{{$}}
// CHECK-DAG: returned shown_ints(1, -2, 300, 0x123456789abcdef0, 65535, 0x10000) = 7{{$}}
// CHECK-DAG: returned shown_void(5){{$}}
// CHECK-DAG: returned shown_float(3) = 1.5{{$}}
// CHECK-DAG: returned shown_double() = 0.1{{$}}
// CHECK-DAG: returned shown_large(9) = 0x{{[0-9a-f]+}}{{$}}
// CHECK-DAG: unwound shown_throws(4){{$}}
// CHECK-DAG: returned plain(int){{$}}
// RUN: %patchbay dump --json %t/patchbay.data | FileCheck %s --check-prefix=JSON
// JSON-DAG: "function":"shown_float(int)","args":[3],"result":1.5,"module"
// JSON-DAG: "function":"shown_void(int)","args":[5],"module"
// RUN: %patchbay dump --csv %t/patchbay.data | FileCheck %s --check-prefix=CSV
// CSV: build_id,args,result,elapsed_ns{{$}}
// CSV-DAG: shown_ints{{.*}},"1, -2, 300, 0x123456789abcdef0, 65535, 0x10000",7,{{[0-9]+}}{{$}}
// CSV-DAG: main,{{[^,]*,[^,]*}},,,{{[0-9]+}}{{$}}
// RUN: %patchbay dump --chrome %t/patchbay.data | FileCheck %s --check-prefix=CHROME
// CHROME-DAG: "name":"shown_float(int)",{{[^}]*}}"args":{"args":[3],"result":1.5}
// CHROME-DAG: "name":"shown_throws(int)",{{[^}]*}}"args":{"args":[4],"kind":"unwound"}
// CHROME-DAG: "name":"plain(int)",{{[^{}]*}}}
// RUN: %patchbay replay --nested %t/patchbay.data | FileCheck %s --check-prefix=NESTED
// NESTED-DAG: shown_float(3) = 1.5;
// NESTED-DAG: shown_calls(2) {
// NESTED-DAG: } /* shown_calls(int) = 4 */
// RUN: %patchbay replay --nested=false %t/patchbay.data | FileCheck %s --check-prefix=REPLAY
// REPLAY: shown_void(5){{$}}
//
// Each call has its own arguments, even if a signal interrupts the call.
// RUN: %patchbay dump --json %t/patchbay.data | %python %S/../Inputs/check-args.py | FileCheck %s --check-prefix=EACH
// EACH: {{^}}20000 calls of shown_counts(int)
// EACH: calls of shown_in_signal(int){{$}}
//
// Other tracers record arguments, too; an entry has no result yet. For the tracer
// without arguments, a filter does not select these functions, and notrace= excludes
// them.
// RUN: cd %t && %patchbay record -t function -F plain* --args '*shown_float*' -- ./prog
// RUN: %patchbay dump %t/patchbay.data | FileCheck %s --check-prefix=ENTRY --implicit-check-not=shown_void
// ENTRY-DAG: entry shown_float(3) <- main
// ENTRY-DAG: entry plain(int) <- shown_calls(int)
// RUN: %patchbay dump --chrome %t/patchbay.data | FileCheck %s --check-prefix=INSTANT
// INSTANT: "name":"shown_float(int)",{{[^}]*}}"args":{"args":[3]}
// RUN: cd %t && %patchbay record -t function_graph --args '*shown*' -N '*shown_void*' -- ./prog
// RUN: %patchbay replay %t/patchbay.data | FileCheck %s --check-prefix=GRAPH --implicit-check-not=shown_void
// GRAPH: shown_float(3) = 1.5;
//
// Values of dropped calls use no space.
// RUN: cd %t && %patchbay record -t function_duration --threshold 10s --args '*shown*' -- ./prog
// RUN: %patchbay dump %t/patchbay.data | FileCheck %s --check-prefix=DROPPED --allow-empty
// DROPPED-NOT: {{.}}
#include "../Inputs/check.h"

#include <csignal>
#include <sys/time.h>

struct Large {
  long a[5];
};

OPAQUE int shown_ints(int a, int b, short c, long d, long e, long f) {
  return int(a + d - d + b + (c - 300) + (e - 65535) + (f - 65536)) + 8;
}
OPAQUE void shown_void(int) {}
/* A load clears the rest of the register, which distinguishes a float from a double. */
static const float halves[] = {0, 0.5f, 1, 1.5f};
OPAQUE float shown_float(int a) { return halves[a]; }
OPAQUE double shown_double() { return 0.1; }
OPAQUE Large shown_large(int a) { return {{a}}; }
OPAQUE int shown_throws(int a) { throw a; }
OPAQUE int plain(int a) { return a; }
OPAQUE int shown_calls(int a) { return plain(a) + 2; }
OPAQUE int shown_counts(int a) { return a; }
OPAQUE int shown_in_signal(int a) { return a; }

static void on_signal(int signal) { shown_in_signal(signal); }

int main() {
  shown_ints(1, -2, 300, 0x123456789abcdef0, 65535, 0x10000);
  shown_void(5);
  shown_float(3);
  shown_double();
  shown_large(9);
  try {
    shown_throws(4);
  } catch (int) {
  }
  shown_calls(2);
  signal(SIGALRM, on_signal);
  itimerval often = {{0, 100}, {0, 100}};
  setitimer(ITIMER_REAL, &often, nullptr);
  for (int i = 0; i < 20000; ++i)
    CHECK_EQ(shown_counts(i), i);
  raise(SIGALRM);
  return 0;
}
