// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Trace.h"
#include "Diagnostics.h"
#include "Losses.h"
#include "OutputDir.h"
#include "format.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <numeric>

using namespace llvm;
using namespace patchbay;

namespace {

/// Ticks of one process to nanoseconds of CLOCK_MONOTONIC.
class Clock {
public:
  explicit Clock(const DataSession &S) : First(S.First) {
    uint64_t Ticks = S.Last.Ticks - S.First.Ticks;
    uint64_t Ns = S.Last.MonotonicNs - S.First.MonotonicNs;
    // Both grow; in a damaged file nothing needs to.
    if (S.Last.Ticks > S.First.Ticks &&
        S.Last.MonotonicNs > S.First.MonotonicNs)
      NsPerTick = double(Ns) / double(Ticks);
  }
  bool calibrated() const { return NsPerTick != 0; }
  double nsPerTick() const { return calibrated() ? NsPerTick : 1; }
  uint64_t duration(uint64_t Ticks) const {
    double Ns = double(Ticks) * nsPerTick();
    return Ns < 9e18 ? uint64_t(Ns + 0.5) : uint64_t(9e18);
  }
  uint64_t time(uint64_t Ticks) const {
    if (Ticks >= First.Ticks)
      return SaturatingAdd(First.MonotonicNs, duration(Ticks - First.Ticks));
    uint64_t Before = duration(First.Ticks - Ticks);
    return First.MonotonicNs - std::min(Before, First.MonotonicNs);
  }

private:
  DataMoment First;
  double NsPerTick = 0;
};

/// What tells two calls apart, as far as events can.
struct CallKey {
  uint64_t Time;
  uint32_t Function, Frame;
  bool operator==(const CallKey &O) const {
    return Time == O.Time && Function == O.Function && Frame == O.Frame;
  }
};
struct CallKeyHash {
  size_t operator()(const CallKey &K) const {
    return hash_combine(K.Time, K.Function, K.Frame);
  }
};

/// A thread's own time to ticks of the counter.
class OwnClock {
public:
  explicit OwnClock(std::vector<DataSleep> Found) : Sleeps(std::move(Found)) {
    llvm::sort(Sleeps, [](const DataSleep &A, const DataSleep &B) {
      return std::tie(A.Time, A.Ticks) < std::tie(B.Time, B.Ticks);
    });
    // In a damaged file it need not grow.
    for (size_t I = 1; I < Sleeps.size(); ++I)
      Sleeps[I].Ticks = std::max(Sleeps[I].Ticks, Sleeps[I - 1].Ticks);
  }
  uint64_t asleep(uint64_t Time) const {
    if (Sleeps.empty())
      return 0;
    auto After = llvm::upper_bound(
        Sleeps, Time,
        [](uint64_t T, const DataSleep &S) { return T < S.Time; });
    return (After == Sleeps.begin() ? After : std::prev(After))->Ticks;
  }
  uint64_t counter(uint64_t Time) const {
    return SaturatingAdd(Time, asleep(Time));
  }

private:
  std::vector<DataSleep> Sleeps;
};

bool isCall(const DataEvent &E) { return E.Kind != PBD_RECORD_ENTRY; }

uint64_t endOf(const DataEvent &E) {
  return isCall(E) ? SaturatingAdd(E.Time, E.Detail) : UINT64_MAX;
}

/// Of two calls that begin at the same tick the one with the higher frame is
/// the outer one; siblings are in the order in which they were recorded.
std::vector<DataEvent> sortByStart(ArrayRef<DataEvent> Events) {
  std::vector<uint32_t> Order(Events.size());
  std::iota(Order.begin(), Order.end(), 0);
  llvm::sort(Order, [&](uint32_t I, uint32_t J) {
    const DataEvent &A = Events[I], &B = Events[J];
    return std::make_tuple(A.Time, -int64_t(A.Frame), I) <
           std::make_tuple(B.Time, -int64_t(B.Frame), J);
  });
  std::vector<DataEvent> Sorted;
  Sorted.reserve(Events.size());
  for (uint32_t I : Order)
    Sorted.push_back(Events[I]);
  return Sorted;
}

/// Where a call is recorded at its entry and at its exit, drops the entry.
void dropEntriesOfCalls(std::vector<DataEvent> &Events) {
  std::unordered_map<CallKey, unsigned, CallKeyHash> Exits;
  for (const DataEvent &E : Events)
    if (isCall(E))
      ++Exits[{E.Time, E.Function, E.Frame}];
  if (Exits.size() == Events.size() || Exits.empty())
    return;
  llvm::erase_if(Events, [&](const DataEvent &E) {
    if (isCall(E))
      return false;
    auto Exit = Exits.find({E.Time, E.Function, E.Frame});
    return Exit != Exits.end() && Exit->second && Exit->second--;
  });
}

class Builder {
public:
  explicit Builder(Trace &Out) : Out(Out) {}
  void add(std::string File, DataFile Data);
  /// Of all processes, when each has been read: looking for names may warn.
  void addCounters();

private:
  void addThread(uint32_t Process, const DataThread &From, const Clock &Clock,
                 bool EntriesOnly);
  void endOpenCalls(size_t FirstThread, const DataSession &S,
                    const Clock &Clock);
  void addHistograms(const DataFile &Data, const Clock &Clock);
  uint32_t function(const DataFile &Data, uint64_t Number);
  uint32_t function(const DataModule &M, uint64_t Entry);

  Trace &Out;
  std::map<std::pair<std::string, uint64_t>, uint32_t> Known;
  std::unordered_map<uint64_t, uint32_t> Numbers; // of the file being added
  bool HasUnit = false;
};

} // namespace

uint32_t Builder::function(const DataFile &Data, uint64_t Number) {
  auto [At, New] = Numbers.try_emplace(Number);
  if (!New)
    return At->second;
  const DataFunction &F = Data.Functions.at(Number);
  return At->second = function(Data.Modules.at(F.Module), F.Entry);
}

uint32_t Builder::function(const DataModule &M, uint64_t Entry) {
  auto [Place, First] =
      Known.try_emplace({moduleKey(M), Entry}, uint32_t(Out.Functions.size()));
  if (First)
    Out.Functions.push_back(
        {Out.Names.function(M, Entry), Out.Names.common(M, Entry), M.Path,
         M.BuildId, Entry});
  return Place->second;
}

void Builder::addCounters() {
  for (const TraceProcess &P : Out.Processes)
    for (const DataCounter &C : P.Data.Counters)
      Out.Counts.push_back({function(P.Data.Modules.at(C.Module), C.Entry),
                            C.Calls,
                            0,
                            0,
                            0,
                            {},
                            ""});
}

// Buckets are powers of two of a tick. Where another process's tick is not of
// this length, as that of another machine, they are those that fit best.
void Builder::addHistograms(const DataFile &Data, const Clock &Clock) {
  if (Data.Histograms.empty())
    return;
  if (!std::exchange(HasUnit, true))
    Out.BucketUnit = Clock.nsPerTick();
  long Shift = std::lround(std::log2(Clock.nsPerTick() / Out.BucketUnit));
  for (const DataHistogram &H : Data.Histograms) {
    if (!Data.Functions.count(H.Function))
      continue;
    TraceCount C = {function(Data, H.Function),
                    0,
                    H.Tid,
                    Clock.duration(H.Total),
                    Clock.duration(H.Longest),
                    std::vector<uint64_t>(H.Buckets.size()),
                    H.Thread};
    for (size_t I = 0; I != H.Buckets.size(); ++I) {
      C.Calls = SaturatingAdd(C.Calls, H.Buckets[I]);
      long Last = long(H.Buckets.size()) - 1;
      uint64_t &B = C.Buckets[std::clamp(long(I) + Shift, 0l, Last)];
      B = SaturatingAdd(B, H.Buckets[I]);
    }
    Out.Counts.push_back(std::move(C));
  }
}

// A call that was not seen to return was there at least until the last that was
// seen within it.
static void endUnfinished(TraceThread &T, ArrayRef<DataEvent> Events,
                          const OwnClock &Own, const Clock &Clock) {
  auto IsUnfinished = [](const TraceCall &C) {
    return C.Kind == TraceCall::Unfinished;
  };
  if (llvm::none_of(T.Calls, IsUnfinished))
    return;
  std::vector<uint64_t> Seen(Events.size()); // in the thread's own time
  for (size_t I = Events.size(); I--;) {
    const DataEvent &E = Events[I];
    TraceCall &C = T.Calls[I];
    Seen[I] = std::max(Seen[I], isCall(E) ? endOf(E) : E.Time);
    if (C.Parent != TraceCall::NoParent)
      Seen[C.Parent] = std::max(Seen[C.Parent], Seen[I]);
    if (IsUnfinished(C)) {
      C.Duration = Clock.duration(Seen[I] - E.Time);
      C.Asleep = Clock.duration(Own.asleep(Seen[I]) - Own.asleep(E.Time));
    }
  }
}

void Builder::addThread(uint32_t Process, const DataThread &From,
                        const Clock &Clock, bool EntriesOnly) {
  TraceThread T = {Process, From.Tid, From.Lost, From.Name, {}, From.Values};
  std::vector<DataEvent> Events = From.Events;
  dropEntriesOfCalls(Events);
  Events = sortByStart(Events);

  std::vector<uint32_t> Open;                    // into Events
  std::unordered_map<uint32_t, uint32_t> OpenOf; // by function: how many
  const DataFile &Data = Out.Processes[Process].Data;
  const OwnClock Own(From.Sleeps);
  T.Calls.reserve(Events.size());
  for (uint32_t I = 0; I != Events.size(); ++I) {
    const DataEvent &E = Events[I];
    while (!Open.empty()) {
      const DataEvent &Top = Events[Open.back()];
      if (!EntriesOnly && Top.Frame > E.Frame &&
          (endOf(Top) >= endOf(E) || !isCall(E)) && endOf(Top) >= E.Time)
        break;
      --OpenOf[Top.Function];
      Open.pop_back();
    }
    TraceCall C = {};
    C.Start = Clock.time(Own.counter(E.Time));
    C.Function = function(Data, E.Function);
    C.Parent = Open.empty() ? TraceCall::NoParent : Open.back();
    C.Depth = Open.size();
    C.Values = E.Values;
    if (isCall(E)) {
      C.Duration = Clock.duration(E.Detail);
      uint64_t Before = Own.asleep(E.Time), Then = Own.asleep(endOf(E));
      C.Asleep = Clock.duration(Then - Before);
      C.Kind = E.Kind == PBD_RECORD_CALL     ? TraceCall::Returned
               : E.Kind == DataEvent::Jumped ? TraceCall::Jumped
                                             : TraceCall::Unwound;
    } else {
      C.Caller = E.Detail;
      C.Kind = EntriesOnly ? TraceCall::Entry : TraceCall::Unfinished;
    }
    C.Recursive = OpenOf[E.Function]++ != 0;
    Open.push_back(I);
    T.Calls.push_back(C);
  }
  for (uint32_t I : Open)
    T.Calls[I].Open = T.Calls[I].Kind == TraceCall::Unfinished;
  endUnfinished(T, Events, Own, Clock);
  Out.Threads.push_back(std::move(T));
}

// What is open goes on until the recording ends, of all threads of the process.
// Where events of a thread were lost, nobody knows: its calls may have returned.
void Builder::endOpenCalls(size_t FirstThread, const DataSession &S,
                           const Clock &Clock) {
  uint64_t End = Clock.time(S.Last.Ticks);
  auto Threads = MutableArrayRef(Out.Threads).drop_front(FirstThread);
  for (const TraceThread &T : Threads)
    for (const TraceCall &C : T.Calls)
      End = std::max(End, C.end());
  for (TraceThread &T : Threads)
    for (TraceCall &C : T.Calls) {
      if (!C.Open || T.Lost)
        continue;
      // On a clock of its own the thread is not known to have run.
      uint64_t &Rest =
          S.Flags & PBD_SESSION_NO_SLEEP_TIME ? C.Asleep : C.Duration;
      Rest += End - C.end();
    }
}

std::string TraceProcess::title() const {
  return File + ": process " + utostr(Data.Pid) +
         (Data.Args.empty() ? "" : " (" + join(Data.Args, " ") + ")");
}

void Builder::add(std::string File, DataFile Data) {
  std::map<uint32_t, DataThread> Threads = std::move(Data.Threads);
  Data.Threads.clear();
  uint32_t Process = Out.Processes.size();
  Out.Processes.push_back({std::move(File), std::move(Data)});
  TraceProcess &P = Out.Processes.back();
  if (!P.Data.Session)
    return;
  const DataSession &S = *P.Data.Session;
  Clock Clock(S);
  // A shell that only starts others has no times that could be in anything.
  bool Timed =
      !P.Data.Histograms.empty() || llvm::any_of(Threads, [](const auto &T) {
        return !T.second.Events.empty();
      });
  if (!Clock.calibrated() && Timed)
    warn(P.title() +
         ": its clock was not calibrated, times are in ticks");
  if (S.Flags & PBD_SESSION_VARIABLE_RATE)
    warn(P.title() +
         ": the processor's counter may have changed its rate, so times may be "
         "wrong");
  Numbers.clear();
  size_t FirstThread = Out.Threads.size();
  for (const auto &[Id, T] : Threads)
    addThread(Process, T, Clock, S.Tracer == "function");
  endOpenCalls(FirstThread, S, Clock);
  addHistograms(P.Data, Clock);
}

static bool hasSession(const Trace &T, bool (*IsWanted)(StringRef Tracer)) {
  return llvm::any_of(T.Processes, [&](const TraceProcess &P) {
    return P.Data.Session && IsWanted(P.Data.Session->Tracer);
  });
}

bool Trace::hasEvents() const {
  // What a damaged file says of events that are gone is not much beside counts.
  return calls() || (Counts.empty() && hasSession(*this, [](StringRef Tracer) {
                       return Tracer != "function_profile";
                     }));
}

bool Trace::hasDurations() const {
  return hasSession(
             *this,
             [](StringRef Tracer) { return Tracer == "function_profile"; }) ||
         (hasEvents() && hasSession(*this, [](StringRef Tracer) {
            return Tracer != "function";
          }));
}

size_t Trace::calls() const {
  size_t N = 0;
  for (const TraceThread &T : Threads)
    N += T.Calls.size();
  return N;
}

std::string Trace::nameAt(const DataFile &Data, uint64_t Address) {
  auto [Module, Entry] = Data.place(Address);
  return Module ? Names.function(*Module, Entry)
                : "0x" + utohexstr(Address, /*LowerCase=*/true);
}

std::string Trace::caller(const TraceThread &T, const TraceCall &C) {
  auto [Module, Address] = Processes[T.Process].Data.place(C.Caller);
  return Module ? Names.around(*Module, Address) : "";
}

std::vector<uint64_t> Trace::selfTimes(const TraceThread &T) const {
  std::vector<uint64_t> Self;
  for (const TraceCall &C : T.Calls) {
    Self.push_back(C.Duration);
    if (C.Parent != TraceCall::NoParent) {
      uint64_t &Outer = Self[C.Parent];
      // Rounding may make the parts more than the whole.
      Outer -= std::min(Outer, C.Duration);
    }
  }
  return Self;
}

Expected<Trace> patchbay::readEvents(const std::string &Dir) {
  Expected<Trace> Result = readTrace(Dir);
  if (Result && !Result->hasEvents())
    return makeError(Twine(Dir) +
                     ": has no events, only counts: 'patchbay report' shows "
                     "them, 'patchbay record -p function' records events");
  return Result;
}

Trace patchbay::makeTrace(std::string File, DataFile Data) {
  Trace Result;
  Builder B(Result);
  B.add(std::move(File), std::move(Data));
  B.addCounters();
  return Result;
}

Expected<Trace> patchbay::readTrace(const std::string &Dir) {
  auto Files = dataFiles(Dir);
  if (!Files)
    return makeError("cannot read " + Twine(Dir) + ": " +
                     toString(Files.takeError()) +
                     ": make it with 'patchbay record'");
  if (Files->empty())
    return makeError(Twine(Dir) + ": no process wrote data to it");

  Trace Result;
  Builder B(Result);
  for (const std::string &File : *Files) {
    DataFile Data;
    if (Error E = readDataFile(File, Data)) {
      report(std::move(E));
      Result.Incomplete = true;
    }
    if (Data.Errno || Data.ChildErrno || !Data.Unexplained.empty())
      Result.Incomplete = true;
    B.add(File, std::move(Data));
  }
  B.addCounters();
  // `record` said what was left out from the start, and `info` shows it.
  Losses Lost = lossesOf(Result);
  Lost.LeftOut.clear();
  sayLosses(Lost, Dir);
  return Result;
}
