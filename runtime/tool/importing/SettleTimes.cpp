// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel prints times in microseconds, truncated, and durations of calls in
// nanoseconds. So a call may seem to end up to a microsecond before a call
// within it. Printed values are lower bounds. Order and durations are
// constraints on differences. Raising times that are too low, repeatedly, finds
// the least times that meet all constraints. The true times meet them, too, so
// the loop ends and no result exceeds the true time.
#include "KernelTrace.h"
#include "llvm/ADT/ArrayRef.h"

using namespace llvm;
using namespace patchbay;

// If the clocks of CPUs differ, no consistent times may exist. After these
// rounds the order is kept, and durations may differ from the printed ones.
static constexpr int Rounds = 16;

// Raises times that are out of order, and ends of calls that are too short.
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

// Raises the beginning of calls that are too long.
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

// Ignores durations that contradict the printed times, since they would move all later
// events. This happens when clocks of CPUs differ, or when the kernel handles an
// interrupt, with calls of its own, after reading the clock and before printing the
// line.
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
    // Handle the events up to the end of an outermost call together: later
    // events do not constrain them.
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
