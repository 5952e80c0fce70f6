// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the model of exit-states.cpp: rules, cells and sets, tracers, and a
// thread.
#ifndef MODEL_H
#define MODEL_H

#include "types/call_state.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

// Rules of the library, and the checks of the thread. The test leaves out one rule at a
// time (LeftOut).
enum Rule {
  None,
  NumbersGrow,          // each batch has a higher number
  AskNumber,            // at the exit, tracers armed later are not called
  CompareSince,         // a direct path compares the cell's since with the call's
  CompareSetSince,      // a direct path compares the set's since with the call's
  LookAtSlotAgain,      // without a mark, the thread loads the slot again
  LookAtSinceAgain,     // without a mark, the thread checks that the slot's cell has the since
  AskStateAgain,        // with a mark, the thread checks that the cell still has entry and exit
  MarkFirst,            // the thread makes its mark before it loads the slot
  EmptyCells,           // if a function loses its last tracer, its cell calls no handler
  EmptyState,           // if a function loses its last tracer, its cell takes no direct path
  WaitForHandlers,      // disarming ends when no thread is inside
  WaitForCells,         // a cell gets tracers only when no thread is inside it
  WaitForLeft,          // no tracers if functions have left the cell and a thread may be inside
  SwapUnlessLeft,       // a cell that functions have left gets no other set either
  WaitForOwn,           // no new set if a tracer left the cell to others and now joins again
  LeaveAsItIs,          // a cell that all functions have left stays unchanged
  LeaveWhatFailed,      // a cell that functions joined without success stays unchanged
  KeepSets,             // sets are freed when no thread is inside
  SetFirst,             // a cell gets its set before its enter function
  CompareData,          // removing and adding in one batch with other data is a new arming
  JoinByNumber,         // only functions that were armed together may share a cell
  LeaveNoTracer,          // cells of an unloaded module call no handler
  LeaveNoState,         // cells of an unloaded module take no direct path
  WaitForGone,          // freeing a tracer also waits for unloaded modules
  NrRules
};
const char *const RuleNames[] = {
    "as it is",        "NumbersGrow",     "AskNumber",        "CompareSince",
    "CompareSetSince", "LookAtSlotAgain", "LookAtSinceAgain", "AskStateAgain",
    "MarkFirst",       "EmptyCells",      "EmptyState",       "WaitForHandlers",
    "WaitForCells",    "WaitForLeft",     "SwapUnlessLeft",   "WaitForOwn",
    "LeaveAsItIs",     "LeaveWhatFailed", "KeepSets",         "SetFirst",
    "CompareData",     "JoinByNumber",    "LeaveNoTracer",   "LeaveNoState",     "WaitForGone"};
static_assert(sizeof(RuleNames) / sizeof(RuleNames[0]) == NrRules);

Rule LeftOut;
bool keeps(Rule R) { return LeftOut != R; }

// Two tracers of our function, T and U, and a tracer of other functions, which may get
// a cell that our function has left. Config has their handlers. Direct paths are taken
// if all tracers are FAST and the function is simple.
enum Kind : uint8_t { Exit, Both, Entry };
struct Config {
  Kind Kinds[3];
  bool Direct;
  // T is also on another function, which shares the cell and never changes.
  bool Shared;
  int MaxActions;
} The;

constexpr int NR = 2;           // tracers
constexpr int OfOthers = 2;
constexpr uint8_t NoCell = 0, First = 1, Second = 2, EmptyCell = 3, NrCells = 4;
constexpr uint8_t NoSet = 0, EmptySet = 7, NrSets = 8;
constexpr int NoTracer = -1;

// cell->enter
enum Enter : uint8_t { Nothing, Handler, CallOne, CallSet, WalkSet };

constexpr uint64_t numbered(unsigned Number) { return uint64_t(Number) << 16; }

struct Member {
  int8_t Tracer;
  uint8_t Number, Word, Data;
};

struct Set {
  uint8_t Nr;
  Member Members[NR];
  bool Retired, Freed;
};

struct Cell {
  uint64_t Since;
  Enter How;
  int8_t Func, ExitOf, Ops; // tracers
  uint8_t Number, Data;     // the arming that set Func and ExitOf, and its data
  uint8_t Set;
  bool Left, Abandoned;
};

struct Tracer {
  bool Armed;        // from its first store until its disarming has ended
  bool Settled;      // no operation on this tracer is in progress
  uint8_t Number;    // the number of the batch that armed it last
  uint8_t MayCall;   // one bit per arming whose handlers may run
  uint8_t Before;    // the same for armings that a batch replaces
};

#define NAMED(Name) Name,
#define QUOTED(Name) #Name,

// A store, or another atomic action, of the engine.
#define OPS(X)                                                                 \
  X(SetFunc) X(SetSince) X(SetEnter) X(SetSet) X(SetOps) X(SetExit)            \
  X(SetSlot) X(Flip) X(Wait) X(Settle) X(Retire) X(WaitUnlessSettled)          \
  X(WaitUnlessNotLeft) X(MarkLeft) X(Abandon) X(ArmedNow) X(DisarmedNow) X(Begin)         \
  X(EndOfModule)
enum Op : uint8_t { OPS(NAMED) };
const char *const OpNames[] = {OPS(QUOTED)};
struct Step {
  Op What;
  uint8_t A, B;
  uint32_t Value; // numbers are small in this model
};

// The thread's position, named after its next step.
#define PLACES(X)                                                              \
  X(AtSite) X(LoadSlot) X(LoadSince) X(DirectSlot) X(DirectSince)              \
  X(DirectMark) X(DirectBothSlot) X(DirectBothSince) X(DirectFunc)             \
  X(DirectSetSlot) X(DirectSetSince) X(DirectSet) X(Mark) X(Slot)              \
  X(LoadEnter) X(EnterSince) X(EnterOwn) X(EnterFunc) X(EnterSet)              \
  X(WalkingSet) X(CallEntries) X(Unmark) X(Body) X(ExitMark)                   \
  X(DirectExitSlot) X(DirectExitSince) X(DirectExitSet) X(DirectTell)          \
  X(ExitSlot) X(ExitSet) X(ExitEnter) X(AnyEnter) X(OneSet) X(OneExit)         \
  X(AnySet) X(TellAll) X(UnmarkExit) X(Done)
enum Pc : uint8_t { PLACES(NAMED) };
const char *const PcNames[] = {PLACES(QUOTED)};

struct State {
  bool SiteArmed, ModuleGone;
  bool OthersGone; // the functions that shared the first cell use others, or have no tracer
  uint8_t SlotCell, NextNumber, Actions;
  Cell Cells[NrCells];
  Set Sets[NrSets];
  Tracer Tracers[NR];

  Pc At;
  bool Inside, HasExit, Direct, All;
  uint8_t MyCell, MySet, At2; // At2: the next member of a set
  uint64_t MySince, CallSince, CallTold;

  // Expected results. For each tracer: the arming whose entry handler was called, the
  // armings that were present at some time during the call, and the one present all the
  // time.
  bool InEntry;
  uint8_t Told[NR], Window[NR], Stable[NR], ToldExit[NR], EntryCalls[NR];

  uint8_t NrSteps, NextStep;
  Step Steps[28];
};

std::string Wrong;
void fail(const char *What) {
  if (Wrong.empty())
    Wrong = What;
}

bool hasEntry(int T) { return The.Kinds[T] != Exit; }
bool hasExit(int T) { return The.Kinds[T] != Entry; }

uint64_t memberSince(const Member &M) {
  return hasExit(M.Tracer) ? pb_call_since(numbered(M.Number), M.Word) : 0;
}

// set.c
struct SetFacts {
  uint64_t Since, Told;
  bool HasExits, HasEntries;
};
SetFacts factsOf(const Set &S) {
  SetFacts F = {};
  for (int I = 0; I < S.Nr; ++I) {
    const uint64_t M = memberSince(S.Members[I]);
    if (pb_call_number(M) > F.Since)
      F.Since = pb_call_number(M);
    F.HasEntries |= hasEntry(S.Members[I].Tracer);
    if (!hasExit(S.Members[I].Tracer))
      continue;
    F.HasExits = true;
    F.Told |= pb_call_bit_of(M);
  }
  if (The.Direct && F.HasExits)
    F.Since |= F.HasEntries ? PB_CALL_SET_BOTH : PB_CALL_SET;
  return F;
}

Enter enterOfOne(int T) { return hasExit(T) ? CallOne : Handler; }
pb_call_state stateOfOne(int T) {
  return !The.Direct || !hasExit(T) ? PB_CALL_GENERAL
         : hasEntry(T)              ? PB_CALL_BOTH
                                    : PB_CALL_EXIT;
}

} // namespace

#endif // MODEL_H
