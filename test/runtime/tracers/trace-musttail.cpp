// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*
 * Guaranteed tail calls use no stack while they are traced. Cases: an interpreter whose
 * handlers end in tail calls, and coroutines with symmetric transfer, in a thread with
 * a small stack. Functions that end in such calls have no exit, and a message names
 * these functions. Functions that they call normally are timed.
 */
// RUN: rm -rf %t && mkdir %t
// RUN: %buildxx -std=c++20 %s -o %t/prog
// RUN: cd %t && ./prog > want
// RUN: %patchbay record -t function_duration -o duration -- ./prog 2>duration.err | diff want -
// RUN: %patchbay record -t function_graph -o graph -- ./prog 2>graph.err | diff want -
// RUN: %patchbay record -t function_profile --histogram -o histogram -- ./prog 2>histogram.err | diff want -
// RUN: %patchbay record -t function_graph --depth 4 -o depth -- ./prog 2>depth.err | diff want -
// RUN: %patchbay record -t function_duration --sample 1/2 -o sample -- ./prog 2>sample.err | diff want -
// RUN: %patchbay record -t function_duration --no-sleep-time -o awake -- ./prog 2>awake.err | diff want -
// RUN: cat duration.err graph.err histogram.err depth.err sample.err awake.err | FileCheck %s
// CHECK-COUNT-6: 4 functions end in guaranteed tail calls, and calls of them are missing (all(long) (.resume), one(long) (.resume), opAdd{{.*}}, opXor{{.*}}): -t count counts them
// RUN: %patchbay report duration 2>&1 | FileCheck %s --check-prefix=REPORT
// REPORT: duration: 4 functions end in guaranteed tail calls, and calls of them are missing (
// RUN: %patchbay info duration | FileCheck %s --check-prefix=INFO
// INFO-DAG: left out opAdd({{.*}}): ends in a guaranteed tail call: timing it would need extra stack
// INFO-DAG: left out opXor({{.*}}): ends in a guaranteed tail call: timing it would need extra stack
// INFO-DAG: left out one(long) (.resume): ends in a guaranteed tail call: timing it would need extra stack
// INFO-DAG: left out all(long) (.resume): ends in a guaranteed tail call: timing it would need extra stack
/* Ordinary callees are timed. Tracers without exits see all functions. */
// RUN: %patchbay report -f calls,name graph | FileCheck %s --check-prefix=TIMED
// TIMED-DAG: {{^ *}}100001 helper
// RUN: %patchbay record -t function_profile -o profile -- ./prog 2>profile.err | diff want -
// RUN: %patchbay report -f calls,name profile | FileCheck %s --check-prefix=COUNTED
// COUNTED-DAG: {{^ *}}200000 opAdd
// COUNTED-DAG: {{^ *}}100000 opXor
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <vector>

#define OPAQUE __attribute__((noinline))

struct Machine {
  long Value = 0;
};
using Op = long (*)(Machine &, const unsigned char *);
extern const Op Table[4];
#define NEXT [[clang::musttail]] return Table[At[1]](M, At + 1)
static OPAQUE long helper(long Value) { return Value ^ 5; }
static long opAdd(Machine &M, const unsigned char *At) {
  M.Value += 3;
  NEXT;
}
static long opXor(Machine &M, const unsigned char *At) {
  M.Value = helper(M.Value);
  NEXT;
}
static long opEnd(Machine &M, const unsigned char *) { return helper(M.Value); }
const Op Table[4] = {opEnd, opAdd, opXor, opAdd};

struct Task {
  struct promise_type {
    std::coroutine_handle<> Waiter;
    long Value = 0;
    Task get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<>
      await_suspend(std::coroutine_handle<promise_type> H) noexcept {
        return H.promise().Waiter ? H.promise().Waiter : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_value(long V) { Value = V; }
    void unhandled_exception() { std::abort(); }
  };
  std::coroutine_handle<promise_type> H;
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> Waiter) {
    void *Callee = H.address();

    /* Prevents inlining. */
    __asm__("" : "+r"(Callee));
    H.promise().Waiter = Waiter;
    return std::coroutine_handle<>::from_address(Callee);
  }
  long await_resume() {
    long Value = H.promise().Value;
    H.destroy();
    return Value;
  }
};
static Task one(long I) { co_return I; }
static Task all(long N) {
  long Sum = 0;
  for (long I = 0; I < N; ++I)
    Sum += co_await one(I);
  co_return Sum;
}

static void *run(void *) {
  std::vector<unsigned char> Code(300000);
  Machine M;

  for (size_t I = 0; I < Code.size(); ++I)
    Code[I] = 1 + I % 3;
  Code.push_back(0);
  std::printf("%ld\n", Table[Code[0]](M, Code.data()));
  Task T = all(100000);
  T.H.resume();
  std::printf("%ld\n", T.H.promise().Value);
  T.H.destroy();
  return nullptr;
}

int main() {
  pthread_attr_t Small;
  pthread_t Thread;

  pthread_attr_init(&Small);
  pthread_attr_setstacksize(&Small, 64 << 10);
  return pthread_create(&Thread, &Small, run, nullptr) || pthread_join(Thread, nullptr);
}
