// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the calls of entry and exit handlers with a model. Three tracers on one
// function are armed, disarmed, disabled, enabled and updated during calls. From each
// state of the tracers, every sequence of two operations runs between an entry and its
// exit. Longer random sequences with nested calls follow. Calls return, throw or jump;
// some tracers skip the body. The model follows the table in core/types/call.h.
//
// On an emulated system each sequence has one operation, and a random subset of the
// sequences is tested. The effect of two operations depends only on C code, which is
// the same on all architectures.
//
// RUN: %buildxx %s -o %t %link
// RUN: %t | FileCheck %s
// CHECK: {{^}}calls: {{[1-9][0-9]+}}{{$}}

#include "../Inputs/check.h"

#include <csetjmp>
#include <patchbay/exit.h>
#include <random>
#include <vector>

#define NOT_TRACED __attribute__((no_profile_instrument_function))
#define HANDLER NOT_TRACED GENERAL_REGS

namespace {

enum Kind { Exit, Both, Entry, Answer, Timed };
constexpr int NR = 3;

// Log of handler calls: the tracer, entry or exit, the old or the new handler, and the
// reason of the exit.
struct Event {
  int Tracer, Leaves, Version;
  unsigned Reason;
  bool operator==(const Event &Other) const {
    return Tracer == Other.Tracer && Leaves == Other.Leaves &&
           Version == Other.Version && Reason == Other.Reason;
  }
};

constexpr int MaxEvents = 64;
Event Seen[MaxEvents];
int NrSeen, NrWrong;

// A tracer, and its state in the model.
struct Tracer {
  patchbay_ops *Ops;
  Kind What;
  unsigned Flags;
  bool Armed, Enabled;
  int Version;
  unsigned Epoch; // number of the current arming
  bool enters() const { return What != Exit && What != Timed; }
  bool leaves() const { return What != Entry && What != Answer; }
};

Tracer Tracers[NR];
std::vector<int> Order; // in the order of arming
unsigned Epochs;
long NrCalls;
bool Skip;
const uint64_t Always = 0;

HANDLER void note(const patchbay_cell *Cell, int Leaves, int Version,
                  unsigned Reason) {
  if (NrSeen < MaxEvents)
    Seen[NrSeen] = {int(static_cast<Tracer *>(Cell->data) - Tracers), Leaves,
                    Version, Reason};
  ++NrSeen;
}

HANDLER uint64_t word(const patchbay_cell *Cell, patchbay_regs *Regs) {
  return uintptr_t(Regs) * 8 ^ uintptr_t(Cell->data);
}

template <int Version>
HANDLER void enter(uintptr_t, uintptr_t, const patchbay_cell *Cell,
                   patchbay_regs *Regs) {
  note(Cell, 0, Version, 0);
  if (static_cast<Tracer *>(Cell->data)->What == Both)
    *patchbay_session_word(Cell, Regs) = word(Cell, Regs);
  if (static_cast<Tracer *>(Cell->data)->What == Answer && Skip) {
    *patchbay_result_gp(Regs, 0) = 77;
    patchbay_skip_body(Regs);
  }
}

template <int Version>
HANDLER void leave(uintptr_t, uintptr_t, const patchbay_cell *Cell,
                   patchbay_regs *Regs) {
  const Kind What = static_cast<Tracer *>(Cell->data)->What;
  note(Cell, 1, Version, patchbay_exit_reason(Regs));
  if (What == Both)
    NrWrong += *patchbay_session_word(Cell, Regs) != word(Cell, Regs);
  // Overwrite the session word, because each tracer has a private one in the frame.
  if (What == Exit)
    *patchbay_session_word(Cell, Regs) = ~0ull;
}

constexpr patchbay_handler Enter[] = {enter<0>, enter<1>};
constexpr patchbay_handler Leave[] = {leave<0>, leave<1>};

patchbay_handler entryOf(const Tracer &T) {
  return T.enters() ? Enter[T.Version] : nullptr;
}

patchbay_handler exitOf(const Tracer &T) {
  return T.leaves()           ? Leave[T.Version]
         : T.What == Answer ? patchbay_no_exit
                            : nullptr;
}

void create(int I, Kind What, unsigned Flags) {
  Tracer &T = Tracers[I];
  T = {nullptr, What, Flags, false, true, 0, 0};
  patchbay_ops_attr Attr = {};
  Attr.size = sizeof(Attr);
  Attr.handler = entryOf(T);
  Attr.exit = exitOf(T);
  Attr.flags = Flags;
  Attr.data = &T;
  Attr.threshold = What == Timed ? &Always : nullptr;
  CHECK_EQ(patchbay_ops_create(&Attr, &T.Ops), 0);
}

// Operations on a tracer.
enum Action { Arm, Disarm, Disable, Enable, Update, NrActions };
// For a step: any operation that is valid in the current state.
constexpr Action Any = NrActions;
struct Step {
  int Tracer;
  Action What;
};

bool makesSense(Step S) {
  const Tracer &T = Tracers[S.Tracer];
  switch (S.What) {
  case Arm:
    return !T.Armed;
  case Disarm:
  case Update:
    return T.Armed;
  case Disable:
    return T.Enabled;
  default:
    return !T.Enabled;
  }
}

std::minstd_rand Random(1);

void take(Step S) {
  Tracer &T = Tracers[S.Tracer];
  if (S.What == Any)
    do
      S.What = Action(Random() % NrActions);
    while (!makesSense(S));
  switch (S.What) {
  case Arm:
    CHECK_EQ(patchbay_arm(T.Ops, "traced", 0), 1);
    T.Armed = true;
    T.Epoch = ++Epochs;
    Order.push_back(S.Tracer);
    break;
  case Disarm:
    CHECK_EQ(patchbay_disarm(T.Ops, "traced"), 1);
    T.Armed = false;
    for (auto I = Order.begin(); I != Order.end(); ++I)
      if (*I == S.Tracer) {
        Order.erase(I);
        break;
      }
    break;
  case Disable:
    CHECK_EQ(patchbay_ops_disable(T.Ops), 0);
    T.Enabled = false;
    break;
  case Enable:
    CHECK_EQ(patchbay_ops_enable(T.Ops), 0);
    T.Enabled = true;
    break;
  default:
    T.Version = !T.Version;
    CHECK_EQ(patchbay_ops_update_both(T.Ops, entryOf(T), exitOf(T)), 0);
  }
}

// The actions of one call before it returns.
struct Script {
  std::vector<Step> Before, After; // a nested call
  unsigned Way;
};
constexpr unsigned Returns = 0, Throws = PATCHBAY_EXIT_UNWIND,
                   Jumps = PATCHBAY_EXIT_UNWIND | PATCHBAY_EXIT_JUMP;
const Script *Next, *End;

// The state at a call's entry: the tracers that were called, and the expected log.
struct Frame {
  bool Told[NR];
  unsigned Epoch[NR];
};

Frame modelEntry(std::vector<Event> &Expected) {
  Frame F = {};
  for (int I : Order) {
    const Tracer &T = Tracers[I];
    F.Told[I] = T.Enabled;
    F.Epoch[I] = T.Epoch;
    if (T.Enabled && T.enters())
      Expected.push_back({I, 0, T.Version, 0});
  }
  return F;
}

void modelExit(const Frame &F, std::vector<Event> &Expected, unsigned Way) {
  for (size_t I = Order.size(); I-- > 0;) {
    const Tracer &T = Tracers[Order[I]];
    if (F.Told[Order[I]] && F.Epoch[Order[I]] == T.Epoch && T.Enabled &&
        T.leaves())
      Expected.push_back({Order[I], 1, T.Version, Way});
  }
}

void print(const Event &E) {
  printf(" %d%c.%d.%u", E.Tracer, E.Leaves ? 'x' : 'e', E.Version, E.Reason);
}

void expect(const std::vector<Event> &Expected, const char *Where) {
  bool Same = NrSeen == int(Expected.size());
  for (int I = 0; Same && I < NrSeen; ++I)
    Same = Seen[I] == Expected[I];
  if (!Same) {
    printf("%s:", Where);
    for (const Event &E : Expected)
      print(E);
    printf(", not");
    for (int I = 0; I < NrSeen && I < MaxEvents; ++I)
      print(Seen[I]);
    printf("\n");
    exit(1);
  }
  CHECK_EQ(NrWrong, 0);
  NrSeen = 0;
}

std::vector<Event> EntryExpected;
Frame EntryFrame;
jmp_buf *Back; // of the innermost call
void call();

void inBody() {
  const Script &S = *Next++;
  const Frame F = EntryFrame;
  jmp_buf *const Own = Back;
  expect(EntryExpected, "entry");
  for (Step Each : S.Before)
    take(Each);
  if (Next != End)
    call();
  for (Step Each : S.After)
    take(Each);
  // Log the expected events when the function returns, throws or jumps.
  EntryExpected.clear();
  modelExit(F, EntryExpected, S.Way);
  if (S.Way == Throws)
    throw 1;
  if (S.Way == Jumps) {
    // The jump buffer is in the frame that also holds the locals, so their addresses
    // are in that frame.
    patchbay_jump(uintptr_t(Own));
    longjmp(*Own, 1);
  }
}

} // namespace

extern "C" OPAQUE int traced(int A) {
  inBody();
  return A + 1;
}

namespace {

void call() {
  EntryExpected.clear();
  EntryFrame = modelEntry(EntryExpected);
  const int Number = int(++NrCalls);
  jmp_buf Buffer;
  Back = &Buffer;
  if (!setjmp(Buffer)) {
    try {
      CHECK_EQ(traced(Number), Number + 1);
    } catch (int) {
    }
  }
  expect(EntryExpected, "exit");
}

// If a tracer replaces the result, the library skips the body.
void callSkipped() {
  bool Answered = false;
  for (const Tracer &T : Tracers)
    Answered |= T.Armed && T.Enabled && T.What == Answer;
  if (!Answered)
    return;
  EntryExpected.clear();
  modelExit(modelEntry(EntryExpected), EntryExpected, PATCHBAY_EXIT_SKIP);
  Skip = true;
  ++NrCalls;
  CHECK_EQ(traced(1), 77);
  Skip = false;
  expect(EntryExpected, "skipped");
}

void run(const std::vector<Script> &Scripts) {
  Next = Scripts.data();
  End = Next + Scripts.size();
  call();
}

// Arms and enables each tracer as @State says.
constexpr int NrStates = 27;
void setState(int State) {
  for (int I = 0; I < NR; ++I, State /= 3) {
    bool Armed = State % 3 > 0, Enabled = State % 3 < 2;
    if (Armed != Tracers[I].Armed)
      take({I, Armed ? Arm : Disarm});
    if (Enabled != Tracers[I].Enabled)
      take({I, Enabled ? Enable : Disable});
  }
}

std::vector<Step> allSteps() {
  std::vector<Step> Steps;
  for (int I = 0; I < NR; ++I)
    for (int A = 0; A < NrActions; ++A)
      if (makesSense({I, Action(A)}))
        Steps.push_back({I, Action(A)});
  return Steps;
}

// Is @Second valid after @First, given the state before @First?
bool mayFollow(Step First, Step Second) {
  if (First.Tracer != Second.Tracer)
    return makesSense(Second);
  switch (First.What) {
  case Arm:
    return Second.What != Arm &&
           (Second.What == Disarm || Second.What == Update ||
            makesSense(Second));
  case Disarm:
    return Second.What == Arm ||
           (Second.What > Disarm && Second.What != Update &&
            makesSense(Second));
  case Disable:
    return Second.What == Enable ||
           (Second.What != Disable && makesSense(Second));
  case Enable:
    return Second.What == Disable ||
           (Second.What != Enable && makesSense(Second));
  default:
    return makesSense(Second);
  }
}

const bool Emulated = getenv("PATCHBAY_TEST_SLOW");

void walkAll() {
  for (int State = 0; State < NrStates; ++State) {
    setState(State);
    run({{{}, {}, Returns}});
    callSkipped();
    for (Step First : allSteps()) {
      for (unsigned Way : {Throws, Jumps}) {
        run({{{First}, {}, Way}});
        setState(State);
      }
      for (int I = 0; I < NR && !Emulated; ++I)
        for (int A = 0; A < NrActions; ++A)
          if (mayFollow(First, {I, Action(A)})) {
            run({{{First, {I, Action(A)}}, {}, Returns}});
            setState(State);
          }
    }
  }
}

// Runs random nested calls, which return, throw or jump.
void walkAtRandom(int Number) {
  while (Number--) {
    std::vector<Script> Scripts(1 + Random() % 3);
    for (Script &S : Scripts) {
      for (unsigned I = Random() % 3; I; --I)
        S.Before.push_back({int(Random() % NR), Any});
      for (unsigned I = Random() % 3; I; --I)
        S.After.push_back({int(Random() % NR), Any});
      constexpr unsigned Ways[] = {Returns, Returns, Throws, Jumps};
      S.Way = Ways[Random() % 4];
    }
    run(Scripts);
  }
}

void walk(Kind First, Kind Second, Kind Third, unsigned Flags) {
  create(0, First, Flags);
  create(1, Second, Flags);
  create(2, Third, Flags);
  walkAll();
  walkAtRandom(300);
  setState(0);
  for (Tracer &T : Tracers)
    CHECK_EQ(patchbay_ops_destroy(T.Ops), 0);
}

} // namespace

int main() {
  walk(Exit, Exit, Both, PATCHBAY_OPS_FAST);
  walk(Both, Entry, Both, PATCHBAY_OPS_FAST);
  walk(Timed, Answer, Exit, PATCHBAY_OPS_FAST);
  walk(Both, Answer, Exit, PATCHBAY_OPS_FAST);
  walk(Both, Exit, Entry, 0);
  printf("calls: %ld\n", NrCalls);
  return 0;
}
