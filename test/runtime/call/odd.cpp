// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unusual control flow gives the same results whether functions are armed or not.
// Functions are armed one by one or all at once, by one tracer or several. Cases:
// coroutines of both kinds, exceptions, longjmp, tail calls, nested functions, results
// in memory and in x87 registers, variadic arguments.
//
// RUN: %buildxx -std=c++20 %s -o %t %link
// RUN: %t | FileCheck %s
// RUN: %buildxx -std=c++20 -O0 -fcf-protection=branch -fno-sanitize=kcfi %s -o %t.O0 %link
// RUN: %t.O0 | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/check.h"

#include <coroutine>
#include <csetjmp>
#include <cstdarg>
#include <exception>
#include <memory>
#include <patchbay/patchbay.h>
#include <string>
#include <thread>
#include <ucontext.h>

#define NOT_TRACED __attribute__((no_profile_instrument_function))
#ifdef __powerpc64__
#define MUSTTAIL // clang refuses the attribute even for static functions
#else
#define MUSTTAIL __attribute__((musttail))
#endif

// Coroutines of ucontext.h: a function switches to another stack, which continues at
// its last switch.
static ucontext_t here, there;
static char stack[256 * 1024];
static int produced;

extern "C" {
OPAQUE void odd_yield(int value) {
  produced = value;
  swapcontext(&there, &here);
}
OPAQUE void odd_produce(int depth) {
  odd_yield(depth);
  if (depth < 5)
    odd_produce(depth + 1);
  odd_yield(10 + depth);
}
static void produceAll() {
  odd_produce(0);
  produced = -1;
}
OPAQUE int odd_next(void) {
  swapcontext(&here, &there);
  return produced;
}
}

static int contexts() {
  getcontext(&there);
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = sizeof(stack);
  there.uc_link = &here;
  makecontext(&there, produceAll, 0);
  int sum = 0;
  for (int value; (value = odd_next()) >= 0;)
    sum = sum * 3 % 10007 + value;
  return sum;
}

// A C++20 coroutine: suspended in one function, resumed in another and on another
// thread, destroyed while suspended.
struct Generator {
  struct promise_type {
    int value = 0;
    std::exception_ptr error;
    OPAQUE Generator get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    OPAQUE std::suspend_always yield_value(int v) {
      value = v;
      return {};
    }
    void return_void() {}
    OPAQUE void unhandled_exception() { error = std::current_exception(); }
  };
  std::coroutine_handle<promise_type> handle;
  ~Generator() { handle.destroy(); }
};

static int alive;
struct Counted {
  OPAQUE Counted() { ++alive; }
  OPAQUE ~Counted() { --alive; }
};

OPAQUE static int oddStep(int a) {
  if (a == 7)
    throw a;
  return a * a;
}

__attribute__((noinline)) static Generator oddCount(std::string from, double by) {
  Counted counted;
  for (int i = (int)from.size(); i < 100; ++i)
    co_yield oddStep(i) + (int)(by * i);
}

OPAQUE static void oddResume(std::coroutine_handle<> handle) { handle.resume(); }

static int coroutines() {
  int sum = 0;
  {
    Generator some = oddCount("abc", 0.5);
    for (int i = 0; i < 3; ++i) {
      oddResume(some.handle);
      sum = sum * 7 + some.handle.promise().value;
    }
    std::thread([&] { oddResume(some.handle); }).join();
    sum = sum * 7 + some.handle.promise().value;
    CHECK_EQ(alive, 1);
    oddResume(some.handle); // 7: leaves through unhandled_exception()
    CHECK(some.handle.promise().error);
    CHECK_EQ(alive, 0);
    Generator unfinished = oddCount("", 2);
    oddResume(unfinished.handle);
    CHECK_EQ(alive, 1);
  }
  CHECK_EQ(alive, 0);
  return sum;
}

// Exceptions and longjmp() leave several functions at once, starting in the innermost
// function or in one of its callers.
static jmp_buf back;
OPAQUE static int oddThrow(int depth) {
  Counted counted;
  if (!depth)
    throw std::string("deep");
  return oddThrow(depth - 1) + 1;
}
OPAQUE static int oddJump(int depth) {
  if (!depth)
    longjmp(back, 5);
  return oddJump(depth - 1) + 1;
}
OPAQUE static int oddRethrow(int depth) {
  try {
    return oddThrow(depth);
  } catch (std::string &) {
    throw;
  }
}

static int escapes() {
  volatile int sum = 0;
  try {
    sum = oddRethrow(6);
  } catch (std::string &deep) {
    sum += (int)deep.size();
  }
  CHECK_EQ(alive, 0);
  int jumped = setjmp(back);
  if (!jumped)
    sum += oddJump(6);
  return sum * 10 + jumped;
}

// Results and arguments in every location of the calling convention.
struct Small {
  double a;
  long b;
};
struct Big {
  long a[9];
};
OPAQUE static Small oddSmall(double a, long b) { return {a * 2, b * 3}; }
OPAQUE static Big oddBig(long a, float b) {
  Big big;
  for (int i = 0; i < 9; ++i)
    big.a[i] = a * i + (long)b;
  return big;
}
OPAQUE static long double oddLong(long double a, int b) { return a * b; }
OPAQUE static _Complex double oddComplex(_Complex double a) { return a * a; }
OPAQUE static double oddVariadic(int nr, ...) {
  va_list list;
  double sum = 0;
  va_start(list, nr);
  for (int i = 0; i < nr; ++i)
    sum = sum * 2 + (i % 2 ? va_arg(list, double) : va_arg(list, int));
  va_end(list);
  return sum;
}
#ifdef __x86_64__
typedef double Wide __attribute__((vector_size(64)));
__attribute__((target("avx512f"), noinline, optnone)) static Wide
oddWide(Wide a, Wide b) {
  return a * b - a;
}
__attribute__((target("avx512f"))) static int wide() {
  Wide a = {1, 2, 3, 4, 5, 6, 7, 8}, b = a + 1, c = oddWide(a, b);
  for (int i = 0; i < 8; ++i)
    CHECK(c[i] == a[i] * b[i] - a[i]);
  return 1;
}
static bool haveWide() { return __builtin_cpu_supports("avx512f"); }
#else
static int wide() { return 1; }
static bool haveWide() { return true; }
#endif
__attribute__((noinline)) static int oddTail(int a, int b) {
  if (!a)
    return b;
  MUSTTAIL return oddTail(a - 1, b + a);
}
struct Base {
  virtual ~Base() = default;
  virtual int oddVirtual(int a) { return a; }
};
struct Other {
  virtual ~Other() = default;
  virtual Big oddThunk(int a) { return oddBig(a, 1); }
};
struct Derived : Base, Other {
  OPAQUE Big oddThunk(int a) override { return oddBig(a + 1, 2); }
};

static int results() {
  Small small = oddSmall(1.5, 4);
  Big big = oddBig(3, 2.5f);
  _Complex double square = oddComplex(3.0 + 2.0i);
  auto derived = std::make_unique<Derived>();
  Other *volatile other = derived.get();
  auto lambda = [&](auto a) __attribute__((noinline)) { return a + big.a[8]; };
  CHECK(small.a == 3 && small.b == 12);
  CHECK_EQ(big.a[8], 26);
  CHECK(oddLong(1.25l, 4) == 5);
  CHECK(__real__ square == 5 && __imag__ square == 12);
  CHECK(oddVariadic(10, 1, 2., 3, 4., 5, 6., 7, 8., 9, 10.) == 2036);
  CHECK_EQ(other->oddThunk(1).a[8], 18);
  return oddTail(100, 0) + (int)lambda(1) + (haveWide() ? wide() : 1);
}

static void checkAll() {
  CHECK_EQ(contexts(), 5681);
  CHECK_EQ(coroutines(), 4540);
  CHECK_EQ(escapes(), 45);
  CHECK_EQ(results(), 5050 + 27 + 1);
}

static _Atomic long calls;

// Overwrites the registers of arguments and results.
NOT_TRACED static void handler(uintptr_t ip, uintptr_t, const patchbay_cell *,
                               patchbay_regs *) {
  volatile double value = (double)ip;
  volatile long double more = value;
  value = (double)more * 0;
  ++calls;
}
NOT_TRACED GENERAL_REGS static void
fast(uintptr_t, uintptr_t, const patchbay_cell *, patchbay_regs *) {
  ++calls;
}

static patchbay_ops *create(unsigned flags) {
  patchbay_ops_attr attr{};
  attr.size = sizeof(attr);
  attr.flags = flags;
  attr.handler = flags & PATCHBAY_OPS_FAST ? fast : handler;
  patchbay_ops *ops;
  CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
  return ops;
}

static long callsSeen() {
  calls = 0;
  checkAll();
  return calls;
}

static void armed(unsigned flags, const char *glob, long least) {
  patchbay_ops *ops = create(flags), *second = create(0);
  CHECK(patchbay_arm(ops, glob, 0) > 0);
  long one = callsSeen();
  CHECK(one >= least);
  CHECK(patchbay_arm(second, glob, 0) > 0);
  CHECK_EQ(callsSeen(), 2 * one);
  CHECK_EQ(patchbay_ops_destroy(ops), 0);
  CHECK_EQ(callsSeen(), one);
  CHECK_EQ(patchbay_ops_destroy(second), 0);
  CHECK_EQ(callsSeen(), 0);
}

int main() {
  checkAll();
  for (unsigned flags = 0; flags <= PATCHBAY_OPS_FAST; ++flags) {
    armed(flags, "odd_*", 31);
    armed(flags, "*odd[A-Z]*", 40);
    armed(flags, "*", 100);
  }
  puts("done");
}
