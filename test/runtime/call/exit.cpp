// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tracers with exit handlers work for every type of argument and result, arguments on
// the stack, every way to leave a function, and several tracers on one function. Some
// tracers are added or removed while the function runs.
//
// RUN: %buildxx %s -o %t %link
// RUN: %t | FileCheck %s
// RUN: %buildxx -O0 -fcf-protection=full -fno-sanitize=kcfi %s -o %t.O0 %link
// RUN: %t.O0 | FileCheck %s
// The object has a private copy of the unwinder, which libpatchbay does not call.
// RUN: %buildxx -static-libgcc -static-libstdc++ %s -o %t.unwinder %link
// RUN: %t.unwinder | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/check.h"

#include <atomic>
#include <cerrno>
#include <complex>
#include <csetjmp>
#include <cstring>
#include <patchbay/args.h>
#include <patchbay/exit.h>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <ucontext.h>
#ifdef __ARM_FEATURE_BTI_DEFAULT
#include <link.h>
#include <sys/mman.h>
#endif

#define NOT_TRACED __attribute__((no_profile_instrument_function))
// Calls that handlers saw, per thread.
static thread_local long entries, exits, unwinds, wrong;
static thread_local uint64_t lastResult;
static thread_local double lastDouble;

#define BODY                                                                   \
  (void)ip;                                                                    \
  (void)parent_ip

NOT_TRACED GENERAL_REGS static void enterFast(uintptr_t ip, uintptr_t parent_ip,
                                              const patchbay_cell *cell,
                                              patchbay_regs *regs) {
  (void)parent_ip;
  *patchbay_session_word(cell, regs) = ip ^ (uintptr_t)regs;
  ++entries;
}

NOT_TRACED GENERAL_REGS static void exitFast(uintptr_t ip, uintptr_t parent_ip,
                                             const patchbay_cell *cell,
                                             patchbay_regs *regs) {
  (void)parent_ip;
  wrong += *patchbay_session_word(cell, regs) != (ip ^ (uintptr_t)regs);
  unwinds += patchbay_exit_reason(regs) == PATCHBAY_EXIT_UNWIND;
  lastResult = *patchbay_result_gp(regs, 0);
  ++exits;
}

// Overwrites all registers that a handler may use.
NOT_TRACED static void spoil() {
#if defined(__x86_64__)
  asm volatile("pcmpeqd %%xmm0, %%xmm0\n pcmpeqd %%xmm1, %%xmm1\n"
               "pcmpeqd %%xmm2, %%xmm2\n pcmpeqd %%xmm7, %%xmm7\n"
               "fld1\n fld1\n fld1\n fld1\n fld1\n fld1\n fld1\n fld1\n"
               "faddp\n faddp\n faddp\n faddp\n faddp\n faddp\n faddp\n"
               "fstp %%st\n" ::
                   : "xmm0", "xmm1", "xmm2", "xmm7");
#elif defined(__aarch64__)
  asm volatile("movi v0.16b, #255\n movi v1.16b, #255\n movi v2.16b, #255\n"
               "movi v3.16b, #255\n movi v7.16b, #255\n" ::
                   : "v0", "v1", "v2", "v3", "v7");
#elif defined(__powerpc64__)
  asm volatile("xxleqv 1, 1, 1\n xxleqv 2, 2, 2\n xxleqv 8, 8, 8\n"
               "xxleqv 34, 34, 34\n xxleqv 35, 35, 35\n xxleqv 41, 41, 41\n" ::
                   : "f1", "f2", "f8", "v2", "v3", "v9");
#elif defined(__riscv)
  asm volatile("fcvt.d.w fa0, zero\n fcvt.d.w fa1, zero\n"
               "fcvt.d.w fa7, zero\n" ::
                   : "fa0", "fa1", "fa7");
#endif
}

NOT_TRACED static void enterAny(uintptr_t ip, uintptr_t parent_ip,
                                const patchbay_cell *cell,
                                patchbay_regs *regs) {
  enterFast(ip, parent_ip, cell, regs);
  spoil();
}

NOT_TRACED static void exitAny(uintptr_t ip, uintptr_t parent_ip,
                               const patchbay_cell *cell, patchbay_regs *regs) {
  exitFast(ip, parent_ip, cell, regs);
  memcpy(&lastDouble, patchbay_result_fp(regs, 0), sizeof(lastDouble));
  spoil();
}

NOT_TRACED GENERAL_REGS static void exitOnly(uintptr_t ip, uintptr_t parent_ip,
                                             const patchbay_cell *cell,
                                             patchbay_regs *regs) {
  BODY;
  (void)cell;
  ++entries; // no entry handler counts this call
  ++exits;
  unwinds += patchbay_exit_reason(regs) == PATCHBAY_EXIT_UNWIND;
}

// Every class of arguments and results.
struct Pair {
  long a, b;
};
struct Mixed {
  long a;
  double b;
};
struct Doubles {
  double a, b;
};
struct Large {
  long a[5];
  std::string s;
};
typedef float Vector __attribute__((vector_size(16)));
struct alignas(64) Aligned {
  long a;
};
struct alignas(128) TooAligned {
  long a;
};

extern "C" {
OPAQUE void x_void(int *p) { ++*p; }
OPAQUE int x_int(int a, int b) { return a - b; }
OPAQUE Pair x_pair(long a) { return {a, a + 1}; }
OPAQUE __int128 x_int128(__int128 a) { return a * 3; }
OPAQUE double x_double(double a, int b, double c) { return a * b - c; }
OPAQUE float x_float(float a) { return a / 2; }
OPAQUE long double x_long_double(long double a, int b) { return a / b; }
OPAQUE Mixed x_mixed(Mixed m) { return {m.a + 1, m.b * 2}; }
OPAQUE Doubles x_doubles(Doubles d) { return {d.b, d.a}; }
OPAQUE Vector x_vector(Vector a, Vector b) { return a * b; }
OPAQUE Vector x_splat(float a) { return Vector{a, a + 1, a + 2, a + 3}; }
OPAQUE long x_nine(long a, long b, long c, long d, long e, long f, long g,
                   long h, long i) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i;
}
OPAQUE double x_stack(double a, Large l, int b, double c, double d, double e,
                      double f, double g, double h, double i, double j, long k,
                      long m, long n, long o, long p, long q) {
  return a + l.a[0] + 2 * l.a[4] + l.s.size() + b + c + d + e + f + g + h + i +
         3 * j + k + m + n + o + 5 * p + 7 * q;
}
OPAQUE long double x_stack_x87(long double a, long double b, int c) {
  return a - b * c;
}
OPAQUE uintptr_t x_aligned(Aligned a) { return (uintptr_t)&a % 64 + a.a; }
OPAQUE uintptr_t x_two_aligned(Aligned a, int b, long double c, Aligned d) {
  return (uintptr_t)&a % 64 + (uintptr_t)&d % 64 + a.a + b + c + d.a;
}
OPAQUE uintptr_t x_too_aligned(TooAligned a) {
  return (uintptr_t)&a % 128 + a.a;
}
OPAQUE int x_recurse(int n) { return n ? x_recurse(n - 1) + n : 0; }
OPAQUE long x_eight(long a) { return a; }
__attribute__((noinline)) long x_tail(long a) { return x_eight(a + 1); }
OPAQUE int x_throw(int depth) {
  if (!depth)
    throw std::runtime_error("deep");
  return x_throw(depth - 1) + 1;
}
static jmp_buf back;
OPAQUE int x_jump(int depth) {
  if (!depth)
    longjmp(back, 5);
  return x_jump(depth - 1) + 1;
}
OPAQUE void x_thread_exit(int depth) {
  if (!depth)
    pthread_exit(nullptr);
  x_thread_exit(depth - 1);
}
OPAQUE int x_printf_like(int n, ...) { return n; }
__attribute__((noinline, noreturn)) void x_noreturn(int n) {
  throw n;
}
}

OPAQUE static Large xLarge(long a, std::string s) {
  Large l = {{a, a + 1, a + 2, a + 3, a + 4}, s + "!"};
  return l;
}

OPAQUE static std::complex<long double> xComplex(long double a) {
  return {a, a + 1};
}

// A C++ function with a landing pad: its exception tables have no entry for the site.
static int alive;
struct Counted {
  Counted() { ++alive; }
  ~Counted() { --alive; }
};
OPAQUE static int xCleanup(int depth) {
  Counted counted;
  return x_throw(depth);
}
OPAQUE static int xCatch(int depth) {
  try {
    return xCleanup(depth);
  } catch (const std::runtime_error &error) {
    return (int)strlen(error.what());
  }
}

NOT_TRACED static void callAll() {
  int n = 0;
  x_void(&n);
  CHECK_EQ(n, 1);
  CHECK_EQ(x_int(7, 9), -2);
  Pair pair = x_pair(40);
  CHECK(pair.a == 40 && pair.b == 41);
  CHECK(x_int128((__int128)1 << 100) == (__int128)3 << 100);
  CHECK(x_double(2.5, 4, 1) == 9);
  CHECK(x_float(3) == 1.5f);
  CHECK(x_long_double(7, 2) == 3.5L);
  Mixed mixed = x_mixed({1, 2});
  CHECK(mixed.a == 2 && mixed.b == 4);
  Doubles doubles = x_doubles({1, 2});
  CHECK(doubles.a == 2 && doubles.b == 1);
  Vector v = x_vector(Vector{1, 2, 3, 4}, Vector{5, 6, 7, 8});
  CHECK(v[0] == 5 && v[3] == 32);
  v = x_splat(2);
  CHECK(v[0] == 2 && v[3] == 5);
  CHECK_EQ(x_nine(1, 2, 3, 4, 5, 6, 7, 8, 9), 285);
  Large large = xLarge(10, "abc");
  CHECK(large.a[0] == 10 && large.a[4] == 14 && large.s == "abc!");
  CHECK(x_stack(1, large, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
                16) == 1 + 10 + 28 + 4 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 30 +
                           11 + 12 + 13 + 14 + 75 + 112);
  CHECK(x_stack_x87(10, 2, 3) == 4);
  std::complex<long double> c = xComplex(3);
  CHECK(c.real() == 3 && c.imag() == 4);
  CHECK_EQ(x_aligned({5}), 5);
  CHECK_EQ(x_two_aligned({5}, 6, 7, {8}), 26);
  CHECK_EQ(x_too_aligned({9}), 9);
  CHECK_EQ(x_recurse(100), 5050);
  CHECK_EQ(x_tail(5), 6);
  CHECK_EQ(xCatch(3), 4);
  CHECK_EQ(alive, 0);
  std::atomic<int> done{0};
  std::thread([&] {
    CHECK_EQ(x_int(5, 1), 4); // the thread's first call
    CHECK_EQ(entries, exits);
    done = 1;
  }).join();
  CHECK(done);
}

static patchbay_ops *create(patchbay_handler handler, patchbay_handler leave,
                            unsigned flags) {
  patchbay_ops_attr attr = {};
  attr.size = sizeof(attr);
  attr.handler = handler;
  attr.exit = leave;
  attr.flags = flags;
  patchbay_ops *ops;
  CHECK_EQ(patchbay_ops_create(&attr, &ops), 0);
  return ops;
}

static void arm(patchbay_ops *ops) {
  CHECK(patchbay_arm(ops, "x_*", PATCHBAY_ARM_SKIP) > 0);
  CHECK(patchbay_arm(ops, "_ZL*x[CL]*", PATCHBAY_ARM_SKIP) > 0);
}

NOT_TRACED static void checkBalance(long before) {
  CHECK(entries > before);
  CHECK_EQ(entries, exits);
  CHECK_EQ(wrong, 0);
}

static void testKinds() {
  struct {
    patchbay_handler handler, exit;
    unsigned flags;
  } kinds[] = {{nullptr, exitOnly, PATCHBAY_OPS_FAST},
               {enterFast, exitFast, PATCHBAY_OPS_FAST},
               {nullptr, exitOnly, PATCHBAY_OPS_FAST | PATCHBAY_OPS_NO_RESULT_FP},
               {enterFast, exitFast, PATCHBAY_OPS_FAST | PATCHBAY_OPS_NO_RESULT_FP},
               {enterAny, exitAny, 0},
               {nullptr, exitOnly, 0}};
  for (auto &kind : kinds) {
    long before = entries, unwound = unwinds;
    patchbay_ops *ops = create(kind.handler, kind.exit, kind.flags);
    arm(ops);
    callAll();
    checkBalance(before);
    CHECK_EQ(unwinds - unwound, 5); // x_throw() four times and xCleanup()
    // Add a second tracer to each function, then remove it.
    patchbay_ops *second = create(enterAny, exitAny, 0);
    arm(second);
    callAll();
    checkBalance(before);
    patchbay_ops *third = create(enterFast, exitFast, PATCHBAY_OPS_FAST);
    arm(third);
    callAll();
    checkBalance(before);
    CHECK_EQ(patchbay_ops_destroy(ops), 0);
    callAll();
    checkBalance(before);
    CHECK_EQ(patchbay_ops_destroy(second), 0);
    callAll();
    checkBalance(before);
    CHECK_EQ(patchbay_ops_destroy(third), 0);
    before = entries;
    callAll();
    CHECK_EQ(entries, before);
  }
}

static void testResults() {
  patchbay_ops *ops = create(enterAny, exitAny, 0);
  arm(ops);
  CHECK_EQ(x_nine(1, 2, 3, 4, 5, 6, 7, 8, 9), 285);
  CHECK_EQ(lastResult, 285);
  CHECK(x_double(2.5, 4, 1) == 9);
  CHECK(lastDouble == 9);
  CHECK_EQ(patchbay_ops_destroy(ops), 0);
}

// longjmp() leaves a function: no exit handler is called, and no state remains.
static void testLongjmp() {
  patchbay_ops *ops = create(enterFast, exitFast, PATCHBAY_OPS_FAST);
  arm(ops);
  long in = entries, out = exits;
  if (!setjmp(back))
    x_jump(3);
  CHECK_EQ(entries - in, 4);
  CHECK_EQ(exits - out, 0);
  callAll();
  CHECK_EQ(entries - in - 4, exits - out);
  CHECK_EQ(patchbay_ops_destroy(ops), 0);
  exits = entries;
}

// When a thread ends, the library calls the exit handlers of its unfinished calls.
static void testThreadExit() {
  patchbay_ops *ops = create(enterFast, exitFast, PATCHBAY_OPS_FAST);
  arm(ops);
  pthread_t thread;
  static long seen[3];
  static pthread_key_t key;
  pthread_key_create(&key, [](void *) {
    seen[0] = entries;
    seen[1] = exits;
    seen[2] = unwinds;
  });
  pthread_create(
      &thread, nullptr,
      [](void *) -> void * {
        pthread_setspecific(key, &key);
        x_thread_exit(3);
        return nullptr;
      },
      nullptr);
  pthread_join(thread, nullptr);
  CHECK_EQ(seen[0], 4);
  CHECK_EQ(seen[1], 4);
  CHECK_EQ(seen[2], 4);
  CHECK_EQ(patchbay_ops_destroy(ops), 0);
}

// A function is entered on one thread and left on another. The second thread has never
// called a traced function, has called one, or is ending and misses calls. Exit
// handlers are called there in all cases.
enum Thread { NEW, KNOWN, ENDING };
static ucontext_t here, there;
static char stack[256 * 1024];
extern "C" {
OPAQUE void x_yield(int a) {
  swapcontext(&there, &here);
  (void)a;
}
}
static std::atomic<long> fiberExits;
NOT_TRACED GENERAL_REGS static void countExit(uintptr_t ip, uintptr_t parent_ip,
                                              const patchbay_cell *cell,
                                              patchbay_regs *regs) {
  BODY;
  (void)cell;
  (void)regs;
  ++fiberExits;
}
NOT_TRACED GENERAL_REGS static void ignore(uintptr_t ip, uintptr_t parent_ip,
                                           const patchbay_cell *cell,
                                           patchbay_regs *regs) {
  BODY;
  (void)cell;
  (void)regs;
}
static int fiberResult;
NOT_TRACED static void fiber() {
  x_yield(1);
  fiberResult = x_int(9, 2);
}
NOT_TRACED static void resume(void *) { swapcontext(&here, &there); }
NOT_TRACED static void *resumeOnThread(void *arg) {
  static pthread_key_t key;
  if (*(Thread *)arg != NEW)
    x_int(1, 1);
  if (*(Thread *)arg != ENDING) {
    resume(nullptr);
  } else {
    CHECK_EQ(pthread_key_create(&key, resume), 0);
    CHECK_EQ(pthread_setspecific(key, arg), 0);
  }
  return nullptr;
}
NOT_TRACED static void testFiber(Thread kind, long expected) {
  patchbay_ops *ops = create(ignore, countExit, PATCHBAY_OPS_FAST);
  arm(ops);
  getcontext(&there);
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = sizeof(stack);
  there.uc_link = &here;
  makecontext(&there, fiber, 0);
  fiberExits = fiberResult = 0;
  swapcontext(&here, &there);
  CHECK_EQ(fiberExits.load(), 0);
  pthread_t thread;
  pthread_create(&thread, nullptr, resumeOnThread, &kind);
  pthread_join(thread, nullptr);
  CHECK_EQ(fiberExits.load(), expected);
  CHECK_EQ(fiberResult, 7);
  CHECK_EQ(patchbay_ops_destroy(ops), 0);
}

// Tracers are added and removed while the function runs.
static patchbay_ops *first, *late;
extern "C" {
OPAQUE int x_change(int what) {
  patchbay_filter filter = {};
  filter.size = sizeof(filter);
  filter.glob = "x_change";
  if (what == 1)
    CHECK_EQ(patchbay_arm_filter(late, &filter, 0), 1);
  if (what == 2)
    CHECK_EQ(patchbay_disarm_filter(late, &filter), 1);
  if (what == 3) {
    CHECK_EQ(patchbay_disarm_filter(late, &filter), 1);
    CHECK_EQ(patchbay_arm_filter(late, &filter, 0), 1);
  }
  if (what == 4)
    CHECK_EQ(patchbay_ops_disable(late), 0);
  if (what == 5)
    CHECK_EQ(patchbay_ops_enable(late), 0);
  return what;
}
}

static void testChange() {
  first = create(enterFast, exitFast, PATCHBAY_OPS_FAST);
  late = create(nullptr, countExit, PATCHBAY_OPS_FAST);
  CHECK_EQ(patchbay_arm(first, "x_change", 0), 1);
  // Test a tracer alone and together with another one. At the exit, the library skips a
  // tracer that was armed, removed, rearmed, disabled, or enabled during the call.
  for (int alone = 0; alone < 2; ++alone) {
    long out = exits;
    fiberExits = 0;
    CHECK_EQ(x_change(1), 1);
    CHECK_EQ(fiberExits.load(), 0);
    CHECK_EQ(x_change(0), 0);
    CHECK_EQ(fiberExits.load(), 1);
    CHECK_EQ(x_change(3), 3);
    CHECK_EQ(fiberExits.load(), 1);
    CHECK_EQ(x_change(4), 4);
    CHECK_EQ(fiberExits.load(), 1);
    CHECK_EQ(x_change(5), 5);
    CHECK_EQ(fiberExits.load(), 1);
    CHECK_EQ(x_change(0), 0);
    CHECK_EQ(fiberExits.load(), 2);
    CHECK_EQ(x_change(2), 2);
    CHECK_EQ(fiberExits.load(), 2);
    CHECK_EQ(exits - out, alone ? 0 : 7);
    if (!alone)
      CHECK_EQ(patchbay_disarm(first, "x_change"), 1);
  }
  CHECK_EQ(patchbay_ops_destroy(first), 0);
  CHECK_EQ(patchbay_ops_destroy(late), 0);
}

// Replaces the function's result.
NOT_TRACED static void answer(uintptr_t ip, uintptr_t parent_ip,
                              const patchbay_cell *cell, patchbay_regs *regs) {
  BODY;
  const double value = 1.25;
  if (cell->record->gp_args && *patchbay_regs_gp(regs, 0) == 1)
    return;
  patchbay_skip_body(regs);
  *patchbay_result_gp(regs, 0) = 17;
  *patchbay_result_gp(regs, 1) = 18;
  memcpy(patchbay_result_fp(regs, 0), &value, sizeof(value));
}
NOT_TRACED static void exitOfAnswer(uintptr_t ip, uintptr_t parent_ip,
                                    const patchbay_cell *cell,
                                    patchbay_regs *regs) {
  BODY;
  (void)cell;
  if (patchbay_exit_reason(regs) == PATCHBAY_EXIT_SKIP)
    ++*patchbay_result_gp(regs, 0);
}

static void testSkip() {
  for (unsigned flags : {0u, PATCHBAY_OPS_FAST})
    for (int others = 0; others < 2; ++others) {
      patchbay_ops *ops = create(answer, exitOfAnswer, flags);
      patchbay_ops *other = create(enterFast, exitFast, PATCHBAY_OPS_FAST);
      long before = entries;
      if (others)
        arm(other);
      arm(ops);
      CHECK_EQ(x_int(2, 9), 18);
      CHECK_EQ(x_int(1, 9), -8);
      CHECK_EQ(x_pair(5).b, 18);
      CHECK_EQ(x_nine(0, 2, 3, 4, 5, 6, 7, 8, 9), 18);
      CHECK(x_double(2.5, 4, 1) == 1.25);
      CHECK_EQ(entries - before, others ? 5 : 0);
      CHECK_EQ(entries, exits);
      CHECK_EQ(patchbay_ops_destroy(ops), 0);
      CHECK_EQ(patchbay_ops_destroy(other), 0);
    }
}

static void testRefused() {
  patchbay_ops *ops = create(nullptr, exitOnly, 0);
  CHECK_EQ(patchbay_arm(ops, "x_printf_like", 0), -EOPNOTSUPP);
  CHECK_EQ(patchbay_arm(ops, "x_printf_like", PATCHBAY_ARM_SKIP), 0);
  CHECK_EQ(patchbay_arm(ops, "x_noreturn", 0), -EOPNOTSUPP);
#ifdef __x86_64__ // other ABIs pass __int128 by address, or do not align it
  CHECK_EQ(patchbay_arm(ops, "x_too_aligned", 0), -EOPNOTSUPP);
#endif
  CHECK_EQ(patchbay_ops_update(ops, enterAny), -EINVAL);
  CHECK_EQ(patchbay_ops_update(ops, nullptr), -EINVAL);
  CHECK_EQ(patchbay_ops_update_both(ops, nullptr, nullptr), -EINVAL);
  CHECK_EQ(patchbay_ops_update_both(ops, nullptr, countExit), 0);
  CHECK_EQ(patchbay_ops_destroy(ops), 0);
  patchbay_ops_attr attr = {};
  attr.size = sizeof(attr);
  CHECK_EQ(patchbay_ops_create(&attr, &ops), -EINVAL);

  patchbay_ops *many[PATCHBAY_EXIT_MAX + 1];
  fiberExits = 0;
  for (int i = 0; i <= PATCHBAY_EXIT_MAX; ++i) {
    many[i] = create(nullptr, countExit, i % 2 ? PATCHBAY_OPS_FAST : 0);
    CHECK_EQ(patchbay_arm(many[i], "x_int", 0),
             i < PATCHBAY_EXIT_MAX ? 1 : -E2BIG);
  }
  CHECK_EQ(x_int(3, 2), 1);
  CHECK_EQ(fiberExits.load(), PATCHBAY_EXIT_MAX);
  for (patchbay_ops *each : many)
    CHECK_EQ(patchbay_ops_destroy(each), 0);
}

// Turns on checks of landing pads in this program and libpatchbay, as the loader does
// if all objects have landing pads. The C library's start files may lack them.
NOT_TRACED static void guard(bool on) {
#ifdef __ARM_FEATURE_BTI_DEFAULT
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *on) NOT_TRACED {
        if (*info->dlpi_name && !strstr(info->dlpi_name, "libpatchbay"))
          return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr) &segment = info->dlpi_phdr[i];
          uintptr_t start = info->dlpi_addr + segment.p_vaddr;
          uintptr_t page = start & -4096ul;
          if (segment.p_type == PT_LOAD && segment.p_flags & PF_X)
            CHECK_EQ(mprotect((void *)page, start + segment.p_memsz - page,
                              PROT_READ | PROT_EXEC | (on ? PROT_BTI : 0)),
                     0);
        }
        return 0;
      },
      on ? &on : nullptr);
#else
  (void)on;
#endif
}

int main() {
  guard(true);
  callAll();
  testKinds();
  testResults();
  testLongjmp();
  testThreadExit();
  testFiber(NEW, 2);
  testFiber(KNOWN, 3);
  testFiber(ENDING, 3);
  testChange();
  testSkip();
  testRefused();
  callAll();
  guard(false);
  puts("done");
}
