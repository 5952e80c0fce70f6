// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of a thread, in the order in which they began, with their nesting. Only
// open calls are in memory.
#pragma once

#include "Clock.h"
#include "EventWindows.h"
#include "Parallel.h"
#include "Trace.h"

namespace patchbay {

/// A source of a thread's windows.
class WindowSource {
public:
  virtual ~WindowSource();
  /// Returns nullptr after the last window. A window is valid until the next call.
  virtual const EventWindow *next() = 0;
};

/// Windows that are in memory. Each is freed when the next one is requested.
class KeptWindows : public WindowSource {
public:
  explicit KeptWindows(std::vector<EventWindow> Windows) : Windows(std::move(Windows)) {}
  const EventWindow *next() override;

private:
  std::vector<EventWindow> Windows;
  size_t Next = 0;
};

/// The first tick, by the thread's own clock, at which selected calls may begin.
uint64_t firstTick(const Trace &T, const TraceThread &Thread);

class CallStream {
public:
  /// Adds the names of called functions to T, and counts calls that did not return in
  /// T. With OneStack, it skips calls on stacks other than the first, such as those of
  /// fibers. takeAside() returns them.
  CallStream(Trace &T, const TraceThread &Thread, WindowSource &Windows,
             bool OneStack = false);

  /// Finds the next call, which begin() then begins. open() has the nested calls,
  /// outermost first. Those from depth() on have ended before the next call begins (if
  /// there is one), and all their data is known.
  bool advance();
  llvm::ArrayRef<TraceCall> open() const { return Open; }
  size_t depth() const { return Depth; }
  uint64_t nextStart() const { return Next.Start; }
  /// Appends the next call to open(). Its Duration is known if its end was recorded.
  void begin();
  /// The values of the call that began last; nullptr if none were recorded.
  const DataValues *values() const {
    return NextValues ? &Window->Values[NextValues - 1] : nullptr;
  }

  /// The calls that OneStack skipped. Call this after the last call.
  std::vector<EventWindow> takeAside() { return std::move(Aside); }

private:
  bool readNext();
  bool isWithin(const TraceCall &Outer) const;
  bool isAside();
  void putAside();
  bool isChosen(const TraceCall &C);
  bool isBehindChosen() const;
  void endCalls(bool IsEnd);
  void addInterval(TraceCall &C, uint64_t EndTicks) const;
  void takeCostOut(TraceCall &C);

  Trace &T;
  const TraceThread &Thread;
  WindowSource &Windows;
  const DataFile &Data;
  Clock Time;
  OwnClock Own;
  bool EntriesOnly, OneStack;
  // The cost of recording a call, in ns. The call's own duration includes CostInside. The
  // durations of its callers include CostInside and CostOutside. CostPages is the part of
  // CostOutside that is for new pages.
  double CostInside = 0, CostOutside = 0, CostPages = 0;
  const EventWindow *Window = nullptr;
  size_t NextEvent = 0;
  TraceCall Next;
  uint32_t NextValues = 0;
  std::vector<TraceCall> Open;
  size_t Depth = 0;
  std::vector<uint32_t> OpenOf; // number of open calls, by function
  // The cost of a function's calls, in ns: not yet subtracted, and the limit for
  // subtracting it.
  struct Account {
    double Owed = 0, Limit = 0;
  };
  std::vector<Account> Accounts; // by function: see takeCostOut()
  std::vector<EventWindow> Aside;
  size_t NumAside = 0;
  // End times of the open calls among the skipped ones, by frame.
  std::map<uint32_t, uint64_t> AsideOpen;
  // Number of open calls up to the outermost one that contains all selected calls,
  // including that call.
  std::optional<size_t> Outer;
};

/// Receives all calls of a recording, to sum them up or to convert them.
class CallSink {
public:
  virtual ~CallSink();
  virtual void beginThread(const TraceThread &) {}
  /// The last call of Open has begun, within the others.
  virtual void begin(llvm::ArrayRef<TraceCall> /*Open*/, const DataValues *) {}
  /// The calls of Open from Depth on have ended. The next call begins at Next; without
  /// Next the thread has no further calls.
  virtual void end(llvm::ArrayRef<TraceCall> /*Open*/, size_t /*Depth*/,
                   std::optional<uint64_t> /*Next*/) {}
  virtual void endThread(const TraceThread &) {}
};

/// Passes the selected calls of T to the sinks, one thread after another. If calls of a
/// thread overlap, as those of fibers do, StacksApart passes the calls of each stack
/// separately. That suits sinks that need the nesting of calls, but not their order.
void readCalls(Trace &T, llvm::ArrayRef<CallSink *> Sinks, bool StacksApart = false);

/// A thread's windows, in the order in which its calls began, for merging several threads.
/// Workers make the next windows in advance.
class AheadWindows : public WindowSource {
public:
  /// All: workers that all threads share. Threads: number of threads. The
  /// object must outlive the workers' jobs.
  AheadWindows(const Trace &T, const TraceThread &Thread, Workers &All,
               size_t Threads)
      : File(T.Processes[Thread.Process].Data),
        Windows(File, *Thread.Data, firstTick(T, Thread)), All(All),
        Ahead(Threads <= MostThreads ? Most - 1 : 0) {}

  const EventWindow *next() override {
    while (Asked <= Ahead && plan(Entries[(First + 1 + Asked) % Most]))
      ++Asked;
    if (!Asked)
      return nullptr;
    First = (First + 1) % Most;
    --Asked;
    All.finish(Entries[First].Job);
    return &Entries[First].Window;
  }

private:
  // Limits memory, at about 200 KB per window. With more threads, no windows
  // are made in advance.
  static constexpr size_t MostThreads = 32, Most = 4;
  struct Entry {
    EventWindows::Plan Plan;
    EventWindow Window;
    Workers::Job Job;
  };
  bool plan(Entry &E) {
    if (!Windows.plan(E.Plan))
      return false;
    E.Job.Do = [this, &E] { EventWindows::make(File, E.Plan, E.Window); };
    All.ask(E.Job);
    return true;
  }

  const DataFile &File;
  EventWindows Windows;
  Workers &All;
  size_t Ahead;
  std::array<Entry, Most> Entries; // a ring: one in use, Asked others
  size_t First = 0, Asked = 0;
};

} // namespace patchbay
