// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A handler reads arguments by number if the function's record determines their
// location. The file also shows that C++ can include the headers.
// RUN: %buildxx -Wall -Wextra -Wpedantic -Werror %s -o %t %link
// RUN: %t | FileCheck %s
// CHECK: {{^}}done{{$}}

#include "../Inputs/check.h"

#include <patchbay/args.h>

#include <cstdarg>
#include <cstring>
#include <initializer_list>
#include <thread>

struct Large {
  long A, B, C;
};

extern "C" {
OPAQUE long takeTwo(long A, int *B) { return A + *B; }
OPAQUE double takeMixed(double X, long A, float Y, long B) {
  return X + Y + double(A) + double(B);
}
OPAQUE Large takeHidden(long A, long B) { return {A, B, A + B}; }
OPAQUE long takeTen(long A, long B, long C, long D, long E, long F, long G,
                    long H, long I, long J) {
  return A + B + C + D + E + F + G + H + I + 10 * J;
}
OPAQUE long takeStructure(Large S, long A) { return S.A + S.B + S.C + A; }
OPAQUE long takeMore(long A, ...) {
  va_list List;
  va_start(List, A);
  long B = va_arg(List, long);
  va_end(List);
  return A + B;
}
OPAQUE void takeNothing() {}
// Takes more arguments of each kind than there are registers.
OPAQUE double addFloats(float A, double B, double C, double D, double E,
                        double F, double G, double H, double I, double J,
                        double K, double L, double M, double N) {
  return A + B + C + D + E + F + G + H + I + J + K + L + M + 10 * N;
}
OPAQUE double addMore(double A, ...) { return A; }
}

namespace {
enum { Most = 12 };
// What the handler got for each argument: an error or the value.
struct {
  int Calls, Error[Most], StackError[Most];
  uint64_t Value[Most], Stack[Most];
} Seen;
unsigned int ChangeRegister = Most, ChangeStack = Most;

void handler(uintptr_t, uintptr_t, const patchbay_cell *Cell,
             patchbay_regs *Regs) {
  ++Seen.Calls;
  for (unsigned int N = 0; N < Most; ++N) {
    uint64_t *Arg;
    Seen.Error[N] = patchbay_arg(Cell, Regs, N, &Arg);
    if (!Seen.Error[N]) {
      Seen.Value[N] = *Arg;
      if (N == ChangeRegister)
        *Arg += 1000;
    }
    Seen.StackError[N] = patchbay_arg_stack(Cell, Regs, N, &Arg);
    if (!Seen.StackError[N]) {
      Seen.Stack[N] = *Arg;
      if (N == ChangeStack)
        *Arg += 1000;
    }
  }
}

// Checks the number of register arguments, the number of stack words, and the error for
// the argument after each.
void expect(int Nr, int Error, int NrStack, int StackError) {
  CHECK_EQ(Seen.Calls, 1);
  for (int N = 0; N < Most; ++N) {
    CHECK_EQ(Seen.Error[N], N < Nr ? 0 : Error);
    CHECK_EQ(Seen.StackError[N], N < NrStack ? 0 : StackError);
  }
  Seen.Calls = 0;
}

#if defined(__x86_64__)
enum { Registers = 6 };
#else
enum { Registers = 8 };
#endif

void callAll() {
  int Five = 5;
  takeTwo(7, &Five);
  expect(2, -ERANGE, 0, -ERANGE);
  CHECK_EQ(Seen.Value[0], 7);
  CHECK_EQ(Seen.Value[1], reinterpret_cast<uintptr_t>(&Five));

  takeMixed(1.5, 11, 2.5f, 12);
#if defined(__powerpc64__)
  expect(0, -ENODATA, 0, -ERANGE); // doubles use up integer registers, too
#else
  expect(2, -ERANGE, 0, -ERANGE);
  CHECK_EQ(Seen.Value[0], 11);
  CHECK_EQ(Seen.Value[1], 12);
#endif

  // The hidden pointer to the result is not an argument.
  takeHidden(21, 22);
  expect(2, -ERANGE, 0, -ERANGE);
  CHECK_EQ(Seen.Value[0], 21);
  CHECK_EQ(Seen.Value[1], 22);

  takeTen(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
  expect(Registers, -ENODATA, 10 - Registers, -ERANGE);
  for (unsigned int N = 0; N < 10; ++N)
    CHECK_EQ(N < Registers ? Seen.Value[N] : Seen.Stack[N - Registers], N + 1);

  takeNothing();
  expect(0, -ERANGE, 0, -ERANGE);

  // The types of variadic arguments are unknown.
  takeMore(31, 32l);
  expect(1, -ENODATA, 0, -ENODATA);
  CHECK_EQ(Seen.Value[0], 31);

  takeStructure({41, 42, 43}, 44);
#if defined(__x86_64__)
  expect(1, -ENODATA, 3, -ERANGE); // structure: on the stack
  CHECK_EQ(Seen.Value[0], 44);
  for (unsigned int N = 0; N < 3; ++N)
    CHECK_EQ(Seen.Stack[N], 41 + N);
#elif defined(__aarch64__) || defined(__riscv)
  expect(2, -ERANGE, 0, -ERANGE); // structure: by address
  CHECK_EQ(reinterpret_cast<Large *>(Seen.Value[0])->C, 43);
  CHECK_EQ(Seen.Value[1], 44);
#elif defined(__powerpc64__)
  expect(4, -ERANGE, 0, -ERANGE); // structure: in registers, like its members
  for (unsigned int N = 0; N < 4; ++N)
    CHECK_EQ(Seen.Value[N], 41 + N);
#endif
}

void changeArguments() {
  CHECK_EQ(takeTen(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), 145);
  ChangeRegister = 1;
  ChangeStack = 9 - Registers;
  CHECK_EQ(takeTen(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), 145 + 1000 + 10000);
  ChangeStack = Most;
  CHECK_EQ(takeHidden(21, 22).C, 1043);
}

#if defined(__powerpc64__)
enum { FloatRegisters = 13 };
void addFloat(uint64_t *Arg, float Summand) { // stored as a double
  double Value;
  std::memcpy(&Value, Arg, sizeof(Value));
  Value += Summand;
  std::memcpy(Arg, &Value, sizeof(Value));
}
#else
enum { FloatRegisters = 8 };
void addFloat(uint64_t *Arg, float Summand) {
  float Value;
  std::memcpy(&Value, Arg, sizeof(Value));
  Value += Summand;
  std::memcpy(Arg, &Value, sizeof(Value));
}
#endif

// The number of floating-point register arguments in the last call, and the error for
// the next one.
int Floats, FloatError;

void floatHandler(uintptr_t, uintptr_t, const patchbay_cell *Cell,
                  patchbay_regs *Regs) {
  uint64_t *Arg;
  for (Floats = 0; !(FloatError = patchbay_arg_fp(Cell, Regs, Floats, &Arg));
       ++Floats) {
    CHECK(Arg == patchbay_regs_fp(Regs, Floats));
    if (!Floats && Cell->record->fp_args > 1) {
      addFloat(Arg, 0.5);
      continue;
    }
    double Value;
    std::memcpy(&Value, Arg, sizeof(Value));
    CHECK(Value == Floats + 1);
    Value += 100;
    std::memcpy(Arg, &Value, sizeof(Value));
  }
}

void callFloats(bool Variadic) {
  double Sum = addFloats(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
  CHECK_EQ(Floats, FloatRegisters);
  CHECK_EQ(FloatError, -ENODATA);
  CHECK(Sum == 231 + 0.5 + 100 * (FloatRegisters - 1));
  if (Variadic) { // exits of variadic functions cannot be traced
    CHECK(addMore(1, 2.0) == 101);
    CHECK_EQ(Floats, 1);
    CHECK_EQ(FloatError, -ENODATA);
  }
  takeNothing();
  CHECK_EQ(Floats, 0);
  CHECK_EQ(FloatError, -ERANGE);
}

void ignore(uintptr_t, uintptr_t, const patchbay_cell *, patchbay_regs *) {}

// A tracer reads and changes floating-point arguments: alone on its functions, with an
// exit handler, or together with another tracer. The first call of a thread takes a
// different path than later ones.
void floatArguments() {
  patchbay_ops_attr Attr{};
  Attr.size = sizeof(Attr);
  Attr.handler = ignore;
  patchbay_ops *Other;
  CHECK_EQ(patchbay_ops_create(&Attr, &Other), 0);
  Attr.handler = floatHandler;
  for (patchbay_handler Exit : {patchbay_handler(nullptr), &ignore})
    for (bool Beside : {false, true}) {
      patchbay_ops *Ops;
      Attr.exit = Exit;
      CHECK_EQ(patchbay_ops_create(&Attr, &Ops), 0);
      for (patchbay_ops *Each : {Other, Ops})
        if (Each == Ops || Beside) {
          CHECK(patchbay_arm(Each, "add*", PATCHBAY_ARM_SKIP) > 0);
          CHECK_EQ(patchbay_arm(Each, "takeNothing", 0), 1);
        }
      std::thread(callFloats, !Exit).join();
      callFloats(!Exit);
      CHECK_EQ(patchbay_ops_destroy(Ops), 0);
      CHECK(!Beside || patchbay_disarm(Other, "*") > 0);
    }
  CHECK_EQ(patchbay_ops_destroy(Other), 0);
}

// Functions whose argument counts are unreliable report no arguments.
void unknown() {
  patchbay_record Record{};
  patchbay_cell Cell{};
  patchbay_regs Regs{};
  uint64_t *Arg = nullptr;

  Cell.record = &Record;
  Record.gp_args = Record.stack_arg_words = PATCHBAY_RECORD_COUNT_MAX;
  Record.flags = PATCHBAY_RECORD_UNKNOWN_ARGS;
  CHECK_EQ(patchbay_arg(&Cell, &Regs, 0, &Arg), -ENODATA);
  CHECK_EQ(patchbay_arg_stack(&Cell, &Regs, 0, &Arg), -ENODATA);
  Record.fp_args = PATCHBAY_RECORD_COUNT_MAX;
  CHECK_EQ(patchbay_arg_fp(&Cell, &Regs, 0, &Arg), -ENODATA);
  Record = {};
  CHECK_EQ(patchbay_arg(&Cell, &Regs, ~0u, &Arg), -ERANGE);
  CHECK_EQ(patchbay_arg_fp(&Cell, &Regs, 0, &Arg), -ERANGE);
  CHECK(!Arg);
}
} // namespace

int main() {
  for (unsigned int Flags : {0u, PATCHBAY_OPS_FAST}) {
    patchbay_ops_attr Attr{};
    Attr.size = sizeof(Attr);
    Attr.flags = Flags;
    Attr.handler = handler;
    patchbay_ops *Ops;
    CHECK_EQ(patchbay_ops_create(&Attr, &Ops), 0);

    const char *const Names[] = {"takeTwo",  "takeMixed",   "takeHidden",
                                 "takeTen",  "takeStructure", "takeMore",
                                 "takeNothing"};
    patchbay_filter Filter{};
    Filter.size = sizeof(Filter);
    Filter.syms = Names;
    Filter.cnt = sizeof(Names) / sizeof(Names[0]);
    patchbay_batch *Batch;
    CHECK_EQ(patchbay_batch_create(&Batch), 0);
    CHECK_EQ(patchbay_batch_arm(Batch, Ops, &Filter, PATCHBAY_ARM_FUTURE), 0);
    CHECK_EQ(patchbay_batch_commit(Batch), 7);
    patchbay_batch_destroy(Batch);

    callAll();
    changeArguments();
    ChangeRegister = Most;
    Seen.Calls = 0;
    CHECK_EQ(patchbay_disarm_filter(Ops, &Filter), 7);
    CHECK_EQ(patchbay_ops_destroy(Ops), 0);
  }
  floatArguments();
  unknown();
  puts("done");
  return 0;
}
