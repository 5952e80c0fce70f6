// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TraceBuilder.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace llvm;
using namespace patchbay;

static constexpr uint64_t Second = 1'000'000'000;

std::optional<uint64_t> patchbay::readTime(StringRef Text) {
  auto [Seconds, Digits] = Text.trim().split('.');
  uint64_t S, Fraction;
  if (Seconds.getAsInteger(10, S) || (Digits.size() != 6 && Digits.size() != 9) ||
      Digits.getAsInteger(10, Fraction) || S > UINT64_MAX / Second - 1)
    return std::nullopt;
  return S * Second + (Digits.size() == 6 ? Fraction * 1000 : Fraction);
}

// Reads "12.345 us", possibly after a mark such as "! ". Returns the shortest and the
// longest duration with the same printed digits.
static std::optional<std::pair<uint64_t, uint64_t>> readDuration(StringRef Text) {
  Text = Text.trim();
  if (!Text.consume_back(" us"))
    return std::nullopt;
  Text = Text.drop_while([](char C) { return !isDigit(C); });
  auto [Micros, Digits] = Text.split('.');
  uint64_t Us, Ns = 0, Unit = 1;
  if (Micros.getAsInteger(10, Us) || Us > UINT64_MAX / 2000 || Digits.size() > 3 ||
      (!Digits.empty() && Digits.getAsInteger(10, Ns)))
    return std::nullopt;
  for (size_t I = Digits.size(); I != 3; ++I)
    Unit *= 10;
  return std::pair(Us * 1000 + Ns * Unit, Us * 1000 + Ns * Unit + Unit - 1);
}

std::optional<uint32_t> patchbay::taskId(StringRef Task) {
  uint32_t Tid;
  if (Task.trim().rsplit('-').second.getAsInteger(10, Tid))
    return std::nullopt;
  return Tid;
}

std::optional<TaskLine> TaskLine::read(StringRef Line) {
  TaskLine Out;
  // Search for a number in brackets (the CPU) after a number (the thread ID), since a task's
  // name may contain brackets.
  size_t Begin = 0, End = 0;
  do {
    Begin = Line.find('[', Begin + 1);
    End = Line.find(']', Begin);
    if (End == StringRef::npos)
      return std::nullopt;
    Out.Task = Line.take_front(Begin).rtrim();
    // The kernel's option record-tgid adds a number: "comm-4711  ( 4700)".
    if (Out.Task.ends_with(")"))
      Out.Task = Out.Task.rsplit('(').first;
  } while (!taskId(Out.Task) || Line.slice(Begin + 1, End).getAsInteger(10, Out.Cpu));
  auto [Before, What] = Line.drop_front(End + 1).split(": ");
  // The time follows optional flags.
  auto Time = readTime(Before.substr(Before.rtrim().rfind(' ') + 1));
  if (!Time)
    return std::nullopt;
  Out.Time = *Time;
  Out.What = What;
  return Out;
}

size_t TraceBuilder::thread(StringRef Task, unsigned Cpu) {
  Task = Task.trim();
  uint32_t Tid = *taskId(Task);
  // Each CPU has its own idle thread; all idle threads have ID 0.
  auto [At, IsNew] = Threads.try_emplace({Tid, Tid ? 0 : Cpu}, Out.Threads.size());
  if (IsNew) {
    StringRef Comm = Task.rsplit('-').first;
    Out.Threads.push_back(
        {Tid, Tid ? Comm.str() : "swapper/" + utostr(Cpu), {}});
    Calls.emplace_back();
  }
  return At->second;
}

uint32_t TraceBuilder::function(StringRef Symbol) {
  auto [At, IsNew] = Functions.try_emplace(Symbol, Out.Functions.size());
  if (IsNew) {
    auto [Name, Module] = Symbol.split(" [");
    Module.consume_back("]");
    Out.Functions.push_back({Name.str(), Module.str()});
  }
  return At->second;
}

bool TraceBuilder::addLoss(StringRef Line) {
  StringRef What = Line.split('[').second;
  if (!Line.starts_with("CPU:") ||
      !(What.consume_front("LOST ") ? What.consume_back("EVENTS]")
                                    : What.consume_back("EVENTS DROPPED]")))
    return false;
  uint64_t Lost = 1;
  if (!What.trim().empty() && What.trim().getAsInteger(10, Lost))
    return false;
  Out.Lost += Lost;
  return true;
}

// Removes the return value from "name [module] ret=0x0", or from "name [module] = -22"
// (Linux 6.5 to 6.12). Later additions also begin with a space.
static StringRef dropReturnValue(StringRef Tail) {
  for (StringRef Mark : {" ret=", " = "})
    Tail = Tail.split(Mark).first;
  return Tail.trim();
}

static bool takeFunctionName(StringRef &Call, StringRef End) {
  // Accept arguments in the brackets, and a return value after them.
  Call = Call.split(" /*").first;
  if (!Call.consume_back(End))
    return false;
  size_t Args = Call.find('(');
  if (Args == 0 || Args == StringRef::npos)
    return false;
  Call = Call.take_front(Args);
  return true;
}

bool TraceBuilder::addGraphCall(StringRef Task, unsigned Cpu, uint64_t Time,
                                StringRef Duration, StringRef Call) {
  StringRef Name = Call.ltrim();
  if (Name.starts_with("/*"))
    return true; // an event of another tracer, or text that a user wrote into the trace
  size_t Spaces = Call.size() - Name.size();
  if (Spaces < 2)
    return false;
  uint32_t Depth = (Spaces - 2) / 2;
  auto Took = readDuration(Duration);
  KernelCalls &Its = Calls[thread(Task, Cpu)];
  if (Name.consume_front("}")) {
    if (!Took)
      return false;
    std::optional<uint32_t> Function;
    Name = Name.trim();
    if (Name.consume_front("/* ")) {
      if (!Name.consume_back("*/"))
        return false;
      Function = function(dropReturnValue(Name));
    }
    if (!Its.leave(Function, Depth, Time, Took->first, Took->second))
      ++Out.Nameless;
    return true;
  }
  StringRef Symbol = Name.rtrim();
  bool IsLeaf = Took.has_value();
  if (!takeFunctionName(Symbol, IsLeaf ? ";" : " {"))
    return false;
  uint32_t Function = function(Symbol);
  HasEntries = true;
  Its.enter(Function, Depth, Time);
  if (IsLeaf)
    Its.leave(Function, Depth, Time + Took->first, Took->first, Took->second);
  return true;
}

void TraceBuilder::addEntry(const TaskLine &Line, StringRef Function,
                            StringRef Caller) {
  KernelEvent E;
  E.Function = function(Function);
  E.Caller = function(Caller);
  E.Time = Line.Time;
  Out.Threads[thread(Line.Task, Line.Cpu)].Events.push_back(E);
}

KernelTrace TraceBuilder::finish() {
  bool IsGraph = Out.Tracer != KernelTrace::Entries;
  if (IsGraph && !HasEntries)
    Out.Tracer = KernelTrace::Durations;
  for (size_t I = 0; IsGraph && I != Calls.size(); ++I)
    Out.Threads[I].Events = Calls[I].finish();
  for (KernelThread &T : Out.Threads) {
    settleTimes(T);
    Out.Calls += count_if(T.Events, [](const KernelEvent &E) { return !E.IsExit; });
  }
  return std::move(Out);
}

void KernelCalls::enter(uint32_t Function, uint32_t Depth, uint64_t Time) {
  // End open calls of at least this depth, whose exits the kernel lost.
  while (!Open.empty() && Lines[Open.back()].Depth >= Depth)
    Open.pop_back();
  Open.push_back(Lines.size());
  KernelEvent E;
  E.Function = Function;
  E.Depth = Depth;
  E.Time = Time;
  Lines.push_back(E);
}

bool KernelCalls::leave(std::optional<uint32_t> Function, uint32_t Depth,
                        uint64_t Time, uint64_t Shortest, uint64_t Longest) {
  while (!Open.empty() && Lines[Open.back()].Depth > Depth)
    Open.pop_back();
  bool Known = !Open.empty() && Lines[Open.back()].Depth == Depth &&
               (!Function || Lines[Open.back()].Function == *Function);
  if (!Known && !Function)
    return false;
  KernelEvent E;
  E.IsExit = true;
  E.Depth = Depth;
  E.Time = Time;
  E.Shortest = Shortest;
  E.Longest = Longest;
  if (Known) {
    E.Function = Lines[Open.back()].Function;
    E.Partner = Open.back();
    Lines[Open.back()].Partner = Lines.size();
    Open.pop_back();
  } else {
    E.Function = *Function;
  }
  Lines.push_back(E);
  return true;
}

namespace {

// Reads lines from the last to the first, so that the end of a call comes before its begin. If
// the begin has no line, it must be before the begins of all nested calls. Nested calls have
// a higher depth and ended before the call.
class Backward {
public:
  void add(const KernelEvent &Line) {
    if (Line.IsExit) {
      while (!Ends.empty() && !HasEntry.back() && !holds(Ends.back(), Line))
        addEntry();
      Ends.push_back(Events.size());
      HasEntry.push_back(Line.Partner != KernelEvent::NoPartner);
      push(Line);
    } else if (Line.Partner == KernelEvent::NoPartner) {
      while (!Ends.empty() && !HasEntry.back() &&
             Events[Ends.back()].Depth >= Line.Depth)
        addEntry();
      push(Line);
    } else {
      while (!HasEntry.back())
        addEntry();
      join(Line);
    }
  }

  /// Returns the events in the order of time.
  std::vector<KernelEvent> take() {
    while (!Ends.empty())
      addEntry();
    std::reverse(Events.begin(), Events.end());
    for (KernelEvent &E : Events)
      if (E.Partner != KernelEvent::NoPartner)
        E.Partner = Events.size() - 1 - E.Partner;
    return std::move(Events);
  }

private:
  bool holds(size_t End, const KernelEvent &Inner) const {
    const KernelEvent &Outer = Events[End];
    return Inner.Depth > Outer.Depth &&
           Inner.Time + PrintedNs + Outer.Longest > Outer.Time;
  }
  void push(const KernelEvent &Line) {
    Events.push_back(Line);
    Events.back().Partner = KernelEvent::NoPartner;
  }
  // Adds the entry of the innermost open call, from its line.
  void join(const KernelEvent &Line) {
    Events[Ends.back()].Partner = Events.size();
    Events.push_back(Line);
    Events.back().Partner = Ends.back();
    Ends.pop_back();
    HasEntry.pop_back();
  }
  // Adds the entry of an innermost open call without a line for the entry, at the earliest
  // possible time.
  void addEntry() {
    const KernelEvent &Exit = Events[Ends.back()];
    KernelEvent E;
    E.Function = Exit.Function;
    E.Depth = Exit.Depth;
    E.Time = Exit.Time - std::min(Exit.Time, Exit.Longest);
    join(E);
  }

  std::vector<KernelEvent> Events;
  std::vector<uint32_t> Ends; // ends of calls whose begin has not been read yet
  std::vector<bool> HasEntry; // for each of Ends: does the entry have a line?
};

} // namespace

std::vector<KernelEvent> KernelCalls::finish() const {
  Backward Calls;
  for (size_t I = Lines.size(); I-- != 0;)
    Calls.add(Lines[I]);
  return Calls.take();
}

//===----------------------------------------------------------------------===//
// Consistent times
//===----------------------------------------------------------------------===//

// The kernel prints times in microseconds, truncated, and durations of calls in nanoseconds. So
// a call may seem to end up to a microsecond before a nested call. Printed times are lower
// bounds; the order and the durations constrain their differences. Raising times that are too
// low, repeatedly, finds the least times that meet all constraints. The true times also meet the
// constraints, so the loop ends, and no result exceeds the true time.

// Limits the rounds, since consistent times may not exist if the clocks of CPUs differ. The
// result then keeps the order of events, but durations may differ from the printed durations.
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

// Raises the begin of calls that are too long.
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

// Ignores durations that contradict the printed times, since such durations would move all later
// events. Durations contradict times if the clocks of CPUs differ, or if an interrupt with
// traced calls comes between reading the clock and writing the event.
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
    // Handle the events up to the end of an outermost call together, since later events do not
    // constrain their times.
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
