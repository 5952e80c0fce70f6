// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recordings stay consistent while functions are armed and disarmed at random, and
// threads throw, catch, jump, recurse and end inside these functions. Each exit has its
// entry. Two calls are nested or do not overlap.
// RUN: rm -rf %t && mkdir %t
// RUN: %buildxx %s -o %t/prog -lpthread
// DEFINE: %{toggle} = %python %S/../Inputs/toggle-live.py 25 %patchbay %t/prog %t/data
// DEFINE: %{check} = %python %patchbay_source/test/programs/recording.py --cut %t/data
// RUN: %{toggle} function_graph && %{check} | FileCheck %s
// CHECK: {{^[0-9]+}} calls of {{[2-9]|[0-9][0-9]+}} threads in 1 processes, {{[1-9][0-9]*}} unwound, {{[0-9]+}} entries, {{[0-9]+}} cut off
//
// With a threshold, no entries are recorded.
// RUN: %{toggle} function_duration && %{check} | FileCheck %s --check-prefix=DURATION
// DURATION: {{^[0-9]+}} calls of {{[2-9]|[0-9][0-9]+}} threads in 1 processes, {{[1-9][0-9]*}} unwound{{$}}
#include "../Inputs/check.h"

#include <atomic>
#include <csetjmp>
#include <pthread.h>
#include <unistd.h>

static std::atomic<bool> finished;
// Works long enough that some functions are disarmed during calls, and short enough
// that the recording can be read in seconds.
OPAQUE void pause_in(long n) {
  for (volatile long i = 0; i < n % 7 * 3000; i = i + 1)
    ;
}

OPAQUE long recurse(long n) {
  pause_in(n);
  return n ? 1 + recurse(n - 1) : 0;
}

struct Guard {
  long &Left;
  OPAQUE ~Guard() { ++Left; }
};

OPAQUE void throw_deep(long n, long &left) {
  Guard guard{left};
  if (!n)
    throw 1;
  pause_in(n);
  throw_deep(n - 1, left);
}

OPAQUE void catch_deep(long n) {
  long left = 0;
  try {
    throw_deep(n, left);
  } catch (int) {
    pause_in(n);
  }
  CHECK_EQ(left, n + 1);
}

static thread_local jmp_buf target;
OPAQUE void jump_out(long n) {
  if (!n)
    longjmp(target, 1);
  pause_in(n);
  jump_out(n - 1);
}

OPAQUE void jump(long n) {
  if (!setjmp(target))
    jump_out(n);
  pause_in(n);
}

OPAQUE void exit_thread(long n) {
  pause_in(n);
  if (n == 5)
    pthread_exit(nullptr);
}

static void *mix(void *argument) {
  for (long n = (long)argument; !finished; ++n) {
    recurse(n % 9);
    catch_deep(n % 5);
    jump(n % 4);
    if (n % 50 == 49)
      exit_thread(n % 6);
  }
  return nullptr;
}

// Starts a new thread when one has ended.
static void *keep_mixing(void *argument) {
  long n = (long)argument;
  while (!finished) {
    pthread_t thread;
    CHECK(!pthread_create(&thread, nullptr, mix, (void *)n++));
    pthread_join(thread, nullptr);
  }
  return nullptr;
}

int main() {
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i)
    CHECK(!pthread_create(&threads[i], nullptr, keep_mixing, (void *)(i * 7)));
  puts("started");
  fflush(stdout);
  char c;
  CHECK_EQ(read(STDIN_FILENO, &c, 1), 0);
  finished = true;
  for (pthread_t thread : threads)
    pthread_join(thread, nullptr);
}
