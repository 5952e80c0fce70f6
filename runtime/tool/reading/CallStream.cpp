// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CallStream.h"

using namespace llvm;
using namespace patchbay;

WindowSource::~WindowSource() = default;

uint64_t patchbay::firstTick(const Trace &T, const TraceThread &Thread) {
  if (!T.Chosen.From)
    return 0;
  const Clock Time(*T.Processes[Thread.Process].Data.Session);
  const OwnClock Own(Thread.Data->Sleeps);
  uint64_t First = 0, Last = UINT64_MAX;
  while (First != Last) {
    uint64_t Middle = First + (Last - First) / 2;
    if (Time.time(Own.counter(Middle)) >= T.Chosen.From)
      Last = Middle;
    else
      First = Middle + 1;
  }
  return First;
}

const EventWindow *KeptWindows::next() {
  if (Next)
    Windows[Next - 1] = {};
  return Next == Windows.size() ? nullptr : &Windows[Next++];
}

CallStream::CallStream(Trace &T, const TraceThread &Thread,
                       WindowSource &Windows, bool OneStack)
    : T(T), Thread(Thread), Windows(Windows),
      Data(T.Processes[Thread.Process].Data), Time(*Data.Session),
      Own(Thread.Data->Sleeps),
      EntriesOnly(Data.Session->Tracer == "function"),
      // Kernel traces have no frame addresses to tell stacks apart. The kernel has no
      // fibers, so each thread has one stack.
      OneStack(OneStack && !EntriesOnly &&
               Data.Session->Counter != PBD_COUNTER_TRACE_CLOCK) {
  if (T.Raw || EntriesOnly)
    return;
  const DataSession &S = *Data.Session;
  CostInside = double(S.CostInside) / 1000;
  CostPages = double(S.CostPages) / 1000;
  CostOutside = double(S.CostOutside) / 1000;
}

bool CallStream::readNext() {
  while (!Window || NextEvent == Window->Events.size()) {
    Window = Windows.next();
    NextEvent = 0;
    if (!Window)
      return false;
  }
  const DataEvent &E = Window->Events[NextEvent++];
  NextValues = E.Values;
  TraceCall &C = Next;
  C = {};
  C.Ticks = E.Time;
  C.EndTicks = E.end();
  C.Frame = E.Frame;
  C.Start = Time.time(Own.counter(E.Time));
  C.Function = T.function(Thread.Process, E.Function);
  if (NextValues && !T.Raw)
    C.WhyCost = Window->Values[NextValues - 1].SlowCost;
  if (E.isCall()) {
    C.SeenTicks = C.EndTicks;
    C.Duration = Time.duration(E.Detail);
    C.Asleep =
        Time.duration(Own.asleep(C.EndTicks) - Own.asleep(E.Time));
    C.Kind = E.Kind == PBD_RECORD_CALL     ? TraceCall::Returned
             : E.Kind == DataEvent::Jumped ? TraceCall::Jumped
                                           : TraceCall::Unwound;
  } else {
    C.SeenTicks = E.Time;
    C.Caller = E.Detail;
    C.Kind = EntriesOnly ? TraceCall::Entry : TraceCall::Unfinished;
  }
  return true;
}

bool CallStream::isWithin(const TraceCall &Outer) const {
  return Outer.Frame > Next.Frame &&
         (Outer.EndTicks >= Next.EndTicks || !Next.hasDuration()) &&
         Outer.EndTicks >= Next.Ticks;
}

// Is the next call on another stack than the open calls? Calls on one stack are nested, and
// a callee's frame is below its caller's. So the next call is on another stack if
// - it began before an open call ended, but is not within that call, or
// - it is within a call in AsideOpen, and that call has a nearer frame than each open call
//   around the next call.
bool CallStream::isAside() {
  size_t Outer = Open.size();
  for (; Outer && !isWithin(Open[Outer - 1]); --Outer)
    if (Open[Outer - 1].hasDuration() && Open[Outer - 1].EndTicks > Next.Ticks)
      return true;
  auto At = AsideOpen.upper_bound(Next.Frame);
  while (At != AsideOpen.end() && (!Outer || At->first < Open[Outer - 1].Frame)) {
    if (At->second < Next.Ticks) {
      At = AsideOpen.erase(At);
      continue;
    }
    if (At->second >= Next.EndTicks || !Next.hasDuration())
      return true;
    ++At;
  }
  return false;
}

// Limits the memory for skipped calls to 640 MB. The nesting of further calls is unknown.
static constexpr size_t MostAside = 16 << 20;
static constexpr size_t AsideWindow = 64 << 10;

void CallStream::putAside() {
  DataEvent E = Window->Events[NextEvent - 1];
  if (Aside.empty() || Aside.back().Events.size() == AsideWindow)
    Aside.emplace_back();
  if (E.Values) {
    Aside.back().Values.push_back(Window->Values[E.Values - 1]);
    E.Values = Aside.back().Values.size();
  }
  Aside.back().Events.push_back(E);
  ++NumAside;
  AsideOpen[E.Frame] = E.end();
}

bool CallStream::advance() {
  bool IsEnd;
  for (;;) {
    IsEnd = !readNext() || isBehindChosen();
    if (IsEnd || !OneStack || NumAside == MostAside || !isAside())
      break;
    putAside();
  }
  Depth = Open.size();
  while (Depth && (IsEnd || EntriesOnly || !isWithin(Open[Depth - 1])))
    --Depth;
  endCalls(IsEnd);
  return !IsEnd;
}

// Adds the interval since the previous event on the call's own level. The interval
// contains the cost of half a call, and so is an upper bound for this cost. A long interval
// counts only as the cost of a whole call, so that one interruption does not raise the
// limit for a million short intervals.
void CallStream::addInterval(TraceCall &C, uint64_t EndTicks) const {
  const uint64_t Begin = C.IntervalTicks ? C.IntervalTicks : C.Ticks;
  C.IntervalTicks = EndTicks;
  if (CostInside && EndTicks > Begin)
    C.Intervals += std::min(double(EndTicks - Begin) * Time.nsPerTick(),
                            CostInside + CostOutside);
}

// Subtracts the measured cost of tracing from a call. The measured cost can be too large:
// the processor may overlap tracing with the function's work, or the machine may have
// been slower during the measurement. So at least an eighth of the intervals counts as
// the function's work, on average over its calls.
//
// The measured cost is an average. If a call is shorter than the cost, later calls of the
// function pay the difference from their self time. A call pays at most its own cost again;
// otherwise one long call would pay for a million short calls, and the function's total
// would be less than the long call. No time becomes negative. The self times within a
// call add up to its total. A call is at least as long as each call within it.
//
// One call in PerPage causes a new page, which costs as much as some hundred calls. So a
// call's Duration excludes the cost only of pages that nested calls filled. Sums exclude
// the cost of all pages.
void CallStream::takeCostOut(TraceCall &C) {
  constexpr uint64_t PerPage = 4096 / sizeof(pbd_record);
  constexpr double MostlyCost = 7.0 / 8;
  addInterval(C, C.hasDuration() ? C.EndTicks : C.SeenTicks);
  uint64_t Self = C.Duration - std::min(C.MeasuredWithin, C.Duration);
  const uint64_t Why = std::min(C.WhyCostOfCallees, Self);
  Self -= Why;
  const double Own = CostInside + double(C.Callees) * CostOutside;
  Account &Of = Accounts[C.Function];
  Of.Owed += Own;
  Of.Limit += C.Intervals * MostlyCost;
  const uint64_t Pays = uint64_t(std::min({Of.Owed, Of.Limit, 2 * Own, double(Self)}));
  Of.Owed -= double(Pays);
  Of.Limit -= double(Pays);
  C.Net = SaturatingAdd(C.NetInOthers, Self - Pays);

  const double Pages = double(C.Within % PerPage) * CostPages;
  double Single = double(C.CostWithin) - Pages + double(Why) +
                  std::min({Own, C.Intervals * MostlyCost, double(Self)});
  C.CostWithin = SaturatingAdd(C.CostWithin, Why, Pays);
  C.Cost = std::min(uint64_t(std::max(Single, 0.0)),
                    C.Duration - std::min(C.LongestWithin, C.Duration));
  C.Duration -= C.Cost;
}

// Ends the calls from index Depth on. A call without a return lasts until the last event
// within it. A call that is open when the thread's events end lasts until the end of the
// recording, with two exceptions: an outer call has returned, or the thread lost events,
// which may include the return.
void CallStream::endCalls(bool IsEnd) {
  for (size_t I = Open.size(); I != Depth; --I) {
    TraceCall &C = Open[I - 1];
    --OpenOf[C.Function];
    if (I > 1)
      Open[I - 2].SeenTicks = std::max(Open[I - 2].SeenTicks, C.SeenTicks);
    if (C.Kind == TraceCall::Unfinished) {
      C.Open = IsEnd && C.EndTicks == UINT64_MAX;
      C.Duration = Time.duration(C.SeenTicks - C.Ticks);
      C.Asleep =
          Time.duration(Own.asleep(C.SeenTicks) - Own.asleep(C.Ticks));
      uint64_t End = T.Processes[Thread.Process].End;
      if (C.Open && !Thread.Lost && C.end() < End) {
        // The thread's own clock stops while the thread is off-CPU. Whether the thread
        // ran after its last event is unknown, so count that time as off-CPU.
        bool HasOwn = Data.Session->Flags & PBD_SESSION_NO_SLEEP_TIME;
        (HasOwn ? C.Asleep : C.Duration) += End - C.end();
      }
      if (C.Chosen)
        ++(C.Open ? T.Ended.Open : T.Ended.CutOff)[C.Function];
    } else if (C.Kind == TraceCall::Jumped && C.Chosen) {
      ++T.Ended.Jumped[C.Function];
    }
    takeCostOut(C);
    if (I == 1)
      continue;
    TraceCall &Caller = Open[I - 2];
    Caller.NetInOthers = SaturatingAdd(Caller.NetInOthers, C.Net);
    Caller.LongestWithin = std::max(Caller.LongestWithin, C.Duration);
    Caller.Within += C.Within + 1;
    ++Caller.Callees;
    Caller.MeasuredWithin = SaturatingAdd(Caller.MeasuredWithin, C.measured());
    Caller.CostWithin = SaturatingAdd(Caller.CostWithin, C.CostWithin);
    Caller.WhyCostOfCallees = SaturatingAdd(Caller.WhyCostOfCallees, C.WhyCost);
    addInterval(Caller, C.Ticks);
    Caller.IntervalTicks = C.IntervalTicks;
  }
}

// Can reading stop because all further calls begin after the selected time? While a
// selected call is open, its self time and end depend on further calls.
bool CallStream::isBehindChosen() const {
  return Next.Start >= T.Chosen.To &&
         llvm::none_of(Open, [](const TraceCall &C) { return C.Chosen; });
}

bool CallStream::isChosen(const TraceCall &C) {
  const CallFilter &F = T.Chosen;
  if (!F.Under.empty() && !Outer && T.isOuter(C.Function))
    Outer = C.Depth + 1;
  if (C.Start < F.From || C.Start >= F.To)
    return false;
  if (F.byDuration() && (!C.hasDuration() || C.Duration < F.Shortest ||
                         C.Duration > F.Longest))
    return false;
  return !F.byName() ||
         (T.isWanted(C.Function) && (F.Under.empty() || Outer));
}

void CallStream::begin() {
  Open.resize(Depth);
  if (Outer && *Outer > Depth)
    Outer.reset();
  Next.Depth = Depth;
  if (OpenOf.size() <= Next.Function)
    OpenOf.resize(T.Functions.size());
  Accounts.resize(OpenOf.size());
  Next.Recursive = OpenOf[Next.Function]++ != 0;
  Next.CalledBy = Depth ? Open.back().Function : UINT32_MAX;
  // The next call ended at the latest with its outer call.
  if (Next.Kind == TraceCall::Unfinished && Depth)
    Next.EndTicks = Open.back().EndTicks;
  Next.Chosen = !T.Chosen.isActive() || isChosen(Next);
  T.Chosen.Found += Next.Chosen;
  Open.push_back(Next);
}

CallSink::~CallSink() = default;
