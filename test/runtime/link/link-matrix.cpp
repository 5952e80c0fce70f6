// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every type of link works on every class of argument and result. Functions are called
// directly, have arguments on the stack, call themselves, throw, or leave by longjmp().
// They run on one thread, on several threads, and in signal handlers. Each program
// checks its input. Each function returns the same result as without links.
//
// RUN: %buildxx %s -o %t -lpatchbay-link %link
// RUN: %t | FileCheck %s
// RUN: %buildxx -O0 -fcf-protection=full -fno-sanitize=kcfi %s -o %t.O0 -lpatchbay-link %link
// RUN: %t.O0 | FileCheck %s
// CHECK: {{^}}functions: 280{{$}}
// CHECK: {{^}}done{{$}}

#include "../Inputs/link.h"

#include <csetjmp>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

// The classes, and how to make a value of each class from a number.
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
};
typedef float Vector __attribute__((vector_size(16)));

template <typename T> struct Class {
  static T make(int n) { return (T)n; }
  static int number(const T &t) { return (int)t; }
};
template <> struct Class<void *> {
  static void *make(int n) { return (void *)(uintptr_t)n; }
  static int number(void *t) { return (int)(uintptr_t)t; }
};
template <> struct Class<Pair> {
  static Pair make(int n) { return {n, ~(long)n}; }
  static int number(const Pair &t) { return t.b == ~t.a ? (int)t.a : -1; }
};
template <> struct Class<Mixed> {
  static Mixed make(int n) { return {n, n + 0.5}; }
  static int number(const Mixed &t) { return t.b == t.a + 0.5 ? (int)t.a : -1; }
};
template <> struct Class<Doubles> {
  static Doubles make(int n) { return {(double)n, -(double)n}; }
  static int number(const Doubles &t) { return t.b == -t.a ? (int)t.a : -1; }
};
template <> struct Class<Large> {
  static Large make(int n) { return {{n, n + 1, n + 2, n + 3, n + 4}}; }
  static int number(const Large &t) {
    return t.a[4] == t.a[0] + 4 ? (int)t.a[0] : -1;
  }
};
template <> struct Class<Vector> {
  static Vector make(int n) { return Vector{(float)n, 1, 2, (float)-n}; }
  static int number(const Vector &t) {
    return t[3] == -t[0] && t[1] == 1 && t[2] == 2 ? (int)t[0] : -1;
  }
};
// What functions do before they return. Each shape exists for every pair of classes.
enum Shape { Plain, Stack, Recursion, Throw, Jump, NumShapes };

static thread_local jmp_buf *back;
static thread_local int bodies;

template <Shape S, typename R, typename A> struct Target {
  OPAQUE static R call(A a, int depth) {
    ++bodies;
    if (S == Recursion && depth)
      return call(a, depth - 1);
    if (S == Throw)
      throw Class<A>::number(a);
    if (S == Jump)
      longjmp(*back, 1);
    if constexpr (!std::is_void<R>::value)
      return Class<R>::make(Class<A>::number(a) + 1);
  }
};
template <typename R, typename A> struct Target<Stack, R, A> {
  OPAQUE static R call(A a, int depth, long b, long c, long d, long e, long f,
                       long g, long h, double x, long i, Large l, A last) {
    ++bodies;
    int sum = b + c + d + e + f + g + h + (int)x + i + l.a[2] + depth;
    int n = Class<A>::number(last) == Class<A>::number(a) && sum == 100 ? 1 : 9;
    if constexpr (!std::is_void<R>::value)
      return Class<R>::make(Class<A>::number(a) + n);
  }
};

// Counts of program calls on this thread, and the values that programs expect.
static thread_local long entries, exits, unwound, skipped, wrong;
static thread_local long floats;
static thread_local int argument, result, floatArgs;
static thread_local bool isFloat;
static thread_local bool argumentIsSeen, resultIsSeen, overrides;
static thread_local uint64_t answer[PATCHBAY_RESULT_VECTORS][2], memory[5];

NOT_TRACED GENERAL_REGS static void checkArgument(const patchbay_cell *cell,
                                                  patchbay_regs *regs) {
  uint64_t *arg;
  if (argumentIsSeen && !patchbay_arg(cell, regs, 0, &arg))
    wrong += (int)*arg != argument ||
             patchbay_get_func_arg(cell, regs, 0) != *arg;
}

PROGRAM(enter) {
  (void)ip;
  (void)parent_ip;
  checkArgument(cell, regs);
  ++entries;
}

// The session word, private to a call, stores the frame address, which differs between
// nested calls.
PROGRAM(enterSession) {
  *patchbay_session_word(cell, regs) = ip ^ (uintptr_t)regs;
  enter(ip, parent_ip, cell, regs);
}

PROGRAM(leave) {
  (void)ip;
  (void)parent_ip;
  checkArgument(cell, regs);
  unwound += patchbay_exit_reason(regs) == PATCHBAY_EXIT_UNWIND;
  skipped += patchbay_exit_reason(regs) == PATCHBAY_EXIT_SKIP;
  int kind = cell->record->flags &
             (PATCHBAY_RECORD_RETURN_MASK | PATCHBAY_RECORD_SRET);
  if (resultIsSeen && !patchbay_exit_reason(regs) &&
      kind == PATCHBAY_RECORD_RETURN_GP)
    wrong += (int)patchbay_get_func_ret(regs) != result;
  ++exits;
}

PROGRAM(leaveSession) {
  wrong += *patchbay_session_word(cell, regs) != (ip ^ (uintptr_t)regs);
  leave(ip, parent_ip, cell, regs);
}

PROGRAM(modify) {
  enter(ip, parent_ip, cell, regs);
  if (!overrides)
    return;
  patchbay_override_return(regs, answer[0][0]);
  *patchbay_result_gp(regs, 1) = answer[0][1];
  for (int i = 0; i < PATCHBAY_RESULT_VECTORS; ++i) {
    for (int word = 0; word < PATCHBAY_RESULT_VECTOR_WORDS && word < 2; ++word)
      patchbay_result_fp(regs, i)[word] = answer[i][word];
  }
  if (!(cell->record->flags & PATCHBAY_RECORD_SRET))
    return;
#if defined(__aarch64__)
  uint64_t *to = (uint64_t *)regs->x8;
#else
  uint64_t *to = (uint64_t *)*patchbay_regs_gp(regs, 0);
#endif
  for (int i = 0; i < 5; ++i)
    to[i] = memory[i];
  *patchbay_result_gp(regs, 0) = (uintptr_t)to;
}

// The first known argument is the number, as a double or a float. The next argument has
// a different value.
NOT_TRACED static void checkFloats(const patchbay_cell *cell,
                                   patchbay_regs *regs) {
  uint64_t *arg;
  for (int n = 0; n < floatArgs; ++n) {
    CHECK_EQ(patchbay_arg_fp(cell, regs, n, &arg), 0);
    double value = !n && isFloat ? patchbay_get_func_arg_float(regs, n)
                                 : patchbay_get_func_arg_double(regs, n);
    wrong += value != (n ? 11 : argument);
    ++floats;
  }
}

// Variants of the programs above that also use vector registers.
#define WITH_VECTORS(name, program)                                            \
  NOT_TRACED static void name(uintptr_t ip, uintptr_t parent_ip,               \
                              const patchbay_cell *cell,                       \
                              patchbay_regs *regs) {                           \
    program(ip, parent_ip, cell, regs);                                        \
    checkFloats(cell, regs);                                                   \
    spoil();                                                                   \
  }

NOT_TRACED static void spoil() {
#if defined(__x86_64__)
  asm volatile("pcmpeqd %%xmm0, %%xmm0\n pcmpeqd %%xmm1, %%xmm1\n"
               "pcmpeqd %%xmm2, %%xmm2\n fld1\n fstp %%st\n" ::
                   : "xmm0", "xmm1", "xmm2");
#elif defined(__aarch64__)
  asm volatile("movi v0.2d, #0\n movi v1.2d, #0\n movi v2.2d, #0\n" ::
                   : "v0", "v1", "v2");
#elif defined(__powerpc64__)
  asm volatile("xxlxor 1, 1, 1\n xxlxor 2, 2, 2\n vxor 2, 2, 2\n" ::
                   : "f1", "f2", "v2");
#elif defined(__riscv)
  asm volatile("fcvt.d.w fa0, zero\n fcvt.d.w fa1, zero\n" ::
                   : "fa0", "fa1");
#endif
}

WITH_VECTORS(enterAny, enter)
WITH_VECTORS(enterSessionAny, enterSession)
WITH_VECTORS(leaveAny, leave)
WITH_VECTORS(leaveSessionAny, leaveSession)
WITH_VECTORS(modifyAny, modify)

struct Kind {
  patchbay_link_kind kind;
  patchbay_handler entry, exit;
  unsigned flags;
  bool overrides;
};
static const Kind kinds[] = {
    {PATCHBAY_FENTRY, enter, nullptr, PATCHBAY_OPS_FAST, false},
    {PATCHBAY_FENTRY, enterAny, nullptr, 0, false},
    {PATCHBAY_FEXIT, nullptr, leave, PATCHBAY_OPS_FAST, false},
    {PATCHBAY_FEXIT, nullptr, leaveAny, 0, false},
    {PATCHBAY_SESSION, enterSession, leaveSession, PATCHBAY_OPS_FAST, false},
    {PATCHBAY_SESSION, enterSessionAny, leaveSessionAny, 0, false},
    {PATCHBAY_MODIFY_RETURN, modify, nullptr, PATCHBAY_OPS_FAST, false},
    {PATCHBAY_MODIFY_RETURN, modifyAny, nullptr, 0, false},
    {PATCHBAY_MODIFY_RETURN, modify, nullptr, PATCHBAY_OPS_FAST, true},
    {PATCHBAY_MODIFY_RETURN, modifyAny, nullptr, 0, true},
};


// Expected counts for the attached programs. Every function has entries; only some
// types of programs see exits. Programs that read floating-point arguments are counted
// separately for both.
static long seesEntries, seesEntriesOfExits, seesExits;
static long seesFloatsAtEntries, seesFloatsAtExits;
static bool overridesNow;

// On ppc64le, vectors are passed in separate registers that records do not count, so
// the location of all arguments is unknown.
#ifdef __powerpc64__
constexpr bool CountsVectors = false;
#else
constexpr bool CountsVectors = true;
#endif
template <typename A> NOT_TRACED static bool hasExit() {
  return CountsVectors || !std::is_same<A, Vector>::value;
}

// riscv64 returns 16-byte numbers and vectors in integer registers.
#ifdef __riscv
template <typename R>
constexpr bool IsInteger =
    !std::is_same<R, long double>::value && !std::is_same<R, Vector>::value;
#else
template <typename R> constexpr bool IsInteger = true;
#endif

constexpr int Depth = 3;

template <typename T> NOT_TRACED static bool canOverride() {
  return !std::is_void<T>::value && !std::is_same<T, long double>::value &&
         !std::is_same<T, Mixed>::value && hasExit<T>();
}

// Stores result @n where the ABI returns results: in registers in their order, or in
// memory for structures.
template <typename R> NOT_TRACED static void prepareAnswer(int n) {
  R value = Class<R>::make(n);
  // On riscv64 the bits above a float in its register must be ones.
  memset(answer, std::is_same<R, float>::value ? 0xff : 0, sizeof(answer));
  if (std::is_same<R, Doubles>::value) {
    memcpy(&answer[0][0], &value, 8);
    memcpy(&answer[1][0], (const char *)&value + 8, 8);
  } else if (sizeof(R) <= 16) {
    memcpy(answer, &value, sizeof(R));
  } else {
    memcpy(memory, &value, sizeof(R));
  }
}

template <Shape S, typename R, typename A> NOT_TRACED static void callOne() {
  int n = 40 + S, expected = n + 1;
  bool seen = hasExit<A>(), skip = overridesNow && seen && canOverride<R>();
  long in = entries, out = exits, unwinding = unwound, skipping = skipped;
  int ran = bodies, looks = floats;
  argument = n;
  argumentIsSeen = std::is_integral<A>::value || std::is_pointer<A>::value;
  isFloat = std::is_same<A, float>::value;
  floatArgs = isFloat || std::is_same<A, double>::value ? 1 + (S == Stack) : 0;
  result = expected;
  resultIsSeen = IsInteger<R>;
  overrides = skip;
  if constexpr (!std::is_void<R>::value)
    if (skip)
      prepareAnswer<R>(expected = 70 + S);
  int got = -1, thrown = 0;
  jmp_buf here;
  back = &here;
  A a = Class<A>::make(n);
  if (!setjmp(here)) {
    try {
      if constexpr (S == Stack) {
        Large l = {{1, 2, 3, 4, 5}};
        if constexpr (std::is_void<R>::value)
          Target<S, R, A>::call(a, Depth, 4, 5, 6, 7, 8, 9, 10, 11.0, 34, l, a);
        else
          got = Class<R>::number(Target<S, R, A>::call(
              a, Depth, 4, 5, 6, 7, 8, 9, 10, 11.0, 34, l, a));
      } else if constexpr (std::is_void<R>::value) {
        Target<S, R, A>::call(a, Depth);
      } else {
        got = Class<R>::number(Target<S, R, A>::call(a, Depth));
      }
    } catch (int number) {
      thrown = number;
    }
  }
  overrides = false;
  bool left = (S == Throw || S == Jump) && !skip;
  CHECK_EQ(got, std::is_void<R>::value || left ? -1 : expected);
  CHECK_EQ(thrown, S == Throw && !skip ? n : 0);
  long calls = S == Recursion && !skip ? Depth + 1 : 1;
  CHECK_EQ(bodies - ran, skip ? 0 : calls);
  long seenExits = seen ? seesExits : 0;
  CHECK_EQ(entries - in,
           (seesEntries + (seen ? seesEntriesOfExits : 0)) * calls);
  CHECK_EQ(exits - out, S == Jump && !skip ? 0 : seenExits * calls);
  CHECK_EQ(unwound - unwinding, S == Throw && !skip ? seenExits : 0);
  CHECK_EQ(skipped - skipping, 0);
  CHECK_EQ(floats - looks,
           (seesFloatsAtEntries +
            (S == Jump && !skip ? 0 : seesFloatsAtExits)) *
               calls * floatArgs);
  CHECK_EQ(wrong, 0);
}

template <Shape S, typename R> NOT_TRACED static void callArguments() {
  callOne<S, R, int>();
  callOne<S, R, void *>();
  callOne<S, R, double>();
  callOne<S, R, float>();
  callOne<S, R, Pair>();
  callOne<S, R, Large>();
  callOne<S, R, Vector>();
}

template <Shape S> NOT_TRACED static void callResults() {
  callArguments<S, void>();
  callArguments<S, int>();
  callArguments<S, Pair>();
  callArguments<S, double>();
  callArguments<S, Doubles>();
  callArguments<S, Mixed>();
  callArguments<S, long double>();
  callArguments<S, Large>();
}

NOT_TRACED static void callAll() {
  callResults<Plain>();
  callResults<Stack>();
  callResults<Recursion>();
  callResults<Throw>();
  callResults<Jump>();
}

NOT_TRACED static void inSignal(int) { callAll(); }

NOT_TRACED static void callEverywhere() {
  callAll();
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([]() NOT_TRACED {
      callAll();
      raise(SIGUSR1);
    });
  raise(SIGUSR1);
  for (std::thread &thread : threads)
    thread.join();
}

static patchbay_link *attach(const Kind &kind, int *number) {
  patchbay_program program = {};
  program.size = sizeof(program);
  program.entry = kind.entry;
  program.exit = kind.exit;
  program.flags = kind.flags;
  patchbay_filter filter = {};
  filter.size = sizeof(filter);
  filter.glob = "_ZN6TargetI*4callE*";
  patchbay_link_opts opts = {};
  opts.size = sizeof(opts);
  opts.filter = &filter;
  opts.flags = CountsVectors ? 0 : PATCHBAY_LINK_SKIP_INVALID;
  patchbay_link *link;
  *number = patchbay_link_attach(kind.kind, &program, &opts, &link);
  CHECK(*number > 0);
  seesEntries += kind.kind == PATCHBAY_FENTRY;
  seesEntriesOfExits +=
      kind.kind == PATCHBAY_SESSION || kind.kind == PATCHBAY_MODIFY_RETURN;
  seesExits += kind.kind == PATCHBAY_FEXIT || kind.kind == PATCHBAY_SESSION;
  seesFloatsAtEntries += kind.entry && !kind.flags;
  seesFloatsAtExits += kind.exit && !kind.flags;
  overridesNow |= kind.overrides;
  return link;
}

NOT_TRACED static void test(std::initializer_list<const Kind *> together) {
  std::vector<patchbay_link *> links;
  int number = 0;
  seesEntries = seesEntriesOfExits = seesExits = 0;
  seesFloatsAtEntries = seesFloatsAtExits = 0;
  overridesNow = false;
  for (const Kind *kind : together)
    links.push_back(attach(*kind, &number));
  callEverywhere();
  for (patchbay_link *link : links)
    CHECK_EQ(patchbay_link_destroy(link), 0);
  static bool told;
  if (!told)
    printf("functions: %d\n", number);
  told = true;
}

int main() {
  signal(SIGUSR1, inSignal);
  for (const Kind &kind : kinds)
    test({&kind});
  // Test several links per function: with programs that use only general registers, and
  // with mixed ones.
  test({&kinds[0], &kinds[2], &kinds[4], &kinds[6]});
  test({&kinds[4], &kinds[3], &kinds[7], &kinds[0], &kinds[5]});
  test({});
  puts("done");
}
