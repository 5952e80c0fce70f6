// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Durations and nesting of calls are right for functions that return, and for functions
// left by an exception, by the end of the thread, or by longjmp().
// RUN: rm -rf %t && mkdir %t
// RUN: %buildxx %s -o %t/prog %link
// RUN: cd %t && %patchbay record -t function_duration -- ./prog
// RUN: %patchbay dump --csv %t/patchbay.data > %t/csv
// RUN: %python %S/../Inputs/trace-durations.py < %t/csv | FileCheck %s
// CHECK-DAG: main returned 1 depth 0
// CHECK-DAG: outer(int) returned 1 depth 1, self >= {{[2-9]|[0-9][0-9]+}} ms, total >= {{[89]|[0-9][0-9]+}} ms
// CHECK-DAG: inner(int) returned 3 depth 2, self >= {{[6-9]|[0-9][0-9]+}} ms
// CHECK-DAG: thrower(int) unwound 1 depth 2
// CHECK-DAG: catcher(int) returned 1 depth 1
// CHECK-DAG: jumps(int) returned 1 depth 1
// CHECK-DAG: cut_off(int) jumped 5 depth 2
// CHECK-DAG: after_jump(int) returned 5 depth 2
// CHECK-DAG: exits(int) unwound 1 depth 1
// CHECK-DAG: thread(void*) unwound 1 depth 0
// CHECK-DAG: recurse(int) returned 4 depth 1-4
// CHECK-DAG: many(long, long, long, long, long, long, long, long) returned 1 depth 1
//
// The graph tracer also records entries of calls without an exit.
// RUN: cd %t && %patchbay record -t function_graph -- ./prog
// RUN: %patchbay dump --csv %t/patchbay.data > %t/csv
// RUN: %python %S/../Inputs/trace-durations.py < %t/csv | FileCheck %s --check-prefix=GRAPH
// GRAPH-DAG: main returned 1 depth 0
// GRAPH-DAG: outer(int) returned 1 depth 1, self >= {{[2-9]|[0-9][0-9]+}} ms, total >= {{[89]|[0-9][0-9]+}} ms
// GRAPH-DAG: cut_off(int) jumped 5 depth 2
// GRAPH-DAG: after_jump(int) returned 5 depth 2
// GRAPH-DAG: exits(int) unwound 1 depth 1
//
// With a threshold, short calls are dropped at their end.
// RUN: cd %t && %patchbay record -t function_duration --threshold 50ms -- ./prog 60
// RUN: %patchbay dump --csv %t/patchbay.data > %t/csv
// RUN: %python %S/../Inputs/trace-durations.py < %t/csv | FileCheck %s --check-prefix=LONG --implicit-check-not=recurse --implicit-check-not=thrower
// LONG-DAG: outer(int) returned 1 depth 1, self >= {{[6-9][0-9]|[0-9][0-9][0-9]+}} ms
// LONG-DAG: inner(int) returned 3 depth 2
//
// Functions that call each other in a chain are nested correctly.
// RUN: cd %t && %patchbay record -t function_duration --start-at '_Z7catcheri' --stop-at _Z5jumpsi -- ./prog
// RUN: %patchbay dump --csv %t/patchbay.data > %t/csv
// RUN: %python %S/../Inputs/trace-durations.py < %t/csv | FileCheck %s --check-prefix=PART --implicit-check-not=after_jump --implicit-check-not=main --implicit-check-not=inner
// PART-DAG: catcher(int) returned 1
// PART-DAG: thrower(int) unwound 1
#include "../Inputs/check.h"

#include <csetjmp>
#include <ctime>
#include <pthread.h>

// Tolerate a twentieth, because the counter's rate is inexact in short processes, in
// particular on a busy machine.
static void spin(int ms) __attribute__((no_profile_instrument_function));
static void spin(int ms) {
  timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do
    clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - start.tv_sec) * 1000000000L + now.tv_nsec -
             start.tv_nsec < ms * 1050000L);
}

OPAQUE int inner(int ms) {
  spin(ms);
  return ms;
}
OPAQUE int outer(int ms) {
  spin(ms);
  return inner(ms) + inner(ms) + inner(ms);
}
OPAQUE int thrower(int x) { throw x; }
OPAQUE int catcher(int x) {
  try {
    return thrower(x);
  } catch (int caught) {
    return caught;
  }
}

static jmp_buf target;
OPAQUE void cut_off(int) { longjmp(target, 1); }
OPAQUE void after_jump(int) {}
OPAQUE void jumps(int n) {
  for (volatile int i = 0; i < n; i = i + 1) {
    if (!setjmp(target))
      cut_off(i);
    after_jump(i);
  }
}

OPAQUE int recurse(int n) { return n ? 1 + recurse(n - 1) : 0; }
OPAQUE long many(long a, long b, long c, long d, long e, long f, long g,
                 long h) {
  return a + b + c + d + e + f + g * h;
}
OPAQUE void exits(int) { pthread_exit(nullptr); }
static void *thread(void *) {
  exits(1);
  return nullptr;
}

int main(int argc, char **argv) {
  int ms = argc > 1 ? atoi(argv[1]) : 2;
  pthread_t other;
  CHECK_EQ(outer(ms), 3 * ms);
  CHECK_EQ(catcher(3), 3);
  jumps(5);
  CHECK_EQ(recurse(3), 3);
  CHECK_EQ(many(1, 2, 3, 4, 5, 6, 7, 8), 77);
  CHECK(!pthread_create(&other, nullptr, thread, nullptr));
  pthread_join(other, nullptr);
}
