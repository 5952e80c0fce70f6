// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel prints times in microseconds, truncated, and durations of calls in
// nanoseconds. So a call may seem to end before one that it made, by less than
// a microsecond. Printed values are lower bounds, and order and durations are
// constraints on differences. Repeatedly raising times that are too low finds
// the least times that meet all constraints. The true times meet them, too. So
// the loop ends, and never exceeds the true times.
#include "KernelTrace.h"
#include "llvm/ADT/ArrayRef.h"

using namespace llvm;
using namespace patchbay;

// If the clocks of CPUs differ, no such times may exist. Then the order is
// kept, and durations may differ from the printed ones.
static constexpr int Rounds = 16;

// Keeps the order, and makes calls long enough.
static bool raiseForward(MutableArrayRef<KernelEvent> Events,
                         ArrayRef<KernelEvent> All) {
  bool Raised = false;
  uint64_t Last = 0;
  for (KernelEvent &E : Events) {
    uint64_t Least = std::max(E.Time, Last);
    if (E.IsExit && E.Partner != KernelEvent::NoPartner)
      Least = std::max(Least, All[E.Partner].Time + E.Shortest);
    Raised |= Least != E.Time;
    Last = E.Time = Least;
  }
  return Raised;
}

// Moves the beginning of calls that are too long.
static bool raiseEntries(ArrayRef<KernelEvent> Events,
                         MutableArrayRef<KernelEvent> All) {
  bool Raised = false;
  for (const KernelEvent &E : Events) {
    if (!E.IsExit || E.Partner == KernelEvent::NoPartner)
      continue;
    uint64_t Least = E.Time - std::min(E.Time, E.Longest);
    uint64_t &Begin = All[E.Partner].Time;
    Raised |= Begin < Least;
    Begin = std::max(Begin, Least);
  }
  return Raised;
}

// Between reading the clock and printing the line, the kernel may handle an interrupt,
// with calls of its own; and clocks of CPUs may differ. Ignores a duration that
// contradicts the printed times, since it would move all later events.
static void dropContradictions(MutableArrayRef<KernelEvent> Events,
                               ArrayRef<KernelEvent> All) {
  for (KernelEvent &E : Events) {
    if (!E.IsExit || E.Partner == KernelEvent::NoPartner)
      continue;
    uint64_t Begin = All[E.Partner].Time;
    uint64_t Printed = E.Time - std::min(E.Time, Begin);
    uint64_t Slack = 2000 + Printed / 1000;
    if (E.Longest < Printed && Printed - E.Longest > Slack)
      E.Longest = UINT64_MAX;
    if (E.Shortest > Printed && E.Shortest - Printed > Slack)
      E.Shortest = 0;
  }
}

void patchbay::settleTimes(KernelThread &Thread) {
  MutableArrayRef<KernelEvent> All(Thread.Events);
  uint64_t Last = 0;
  for (size_t First = 0, End; First != All.size(); First = End) {
    // Up to the end of an outermost call: later events put no constraints on it.
    uint32_t Open = 0;
    End = First;
    do {
      const KernelEvent &E = All[End++];
      if (E.Partner != KernelEvent::NoPartner)
        E.IsExit ? --Open : ++Open;
    } while (Open && End != All.size());
    MutableArrayRef<KernelEvent> Part = All.slice(First, End - First);
    dropContradictions(Part, All);
    Part.front().Time = std::max(Part.front().Time, Last);
    for (int Round = 0; Round != Rounds; ++Round) {
      raiseForward(Part, All);
      if (!raiseEntries(Part, All))
        break;
    }
    raiseForward(Part, All);
    Last = Part.back().Time;
  }
}
