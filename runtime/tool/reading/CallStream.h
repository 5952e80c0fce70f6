// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the nesting of a thread's calls, in the order in which the calls began. Keeps
// only open calls in memory.
#pragma once

#include "Clock.h"
#include "EventWindows.h"
#include "Parallel.h"
#include "Trace.h"

namespace patchbay {

/// Returns the windows of one thread in order.
class WindowSource {
public:
  virtual ~WindowSource();
  /// Returns nullptr after the last window. A window is valid until the next call.
  virtual const EventWindow *next() = 0;
};

/// Windows in memory. next() frees the previous window.
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
  /// T. OneStack: skip calls on stacks other than the first, such as calls of fibers;
  /// takeAside() returns the skipped calls.
  CallStream(Trace &T, const TraceThread &Thread, WindowSource &Windows,
             bool OneStack = false);

  /// Finds the next call; begin() then begins that call. open() has the nested calls,
  /// outermost first. The calls from index depth() on have ended before the next call,
  /// and their data is complete. Returns false after the last call.
  bool advance();
  llvm::ArrayRef<TraceCall> open() const { return Open; }
  size_t depth() const { return Depth; }
  uint64_t nextStart() const { return Next.Start; }
  /// Appends the next call to open(). The Duration is known if the call's end was recorded.
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
  // durations of its callers include CostInside and CostOutside. CostOutside includes
  // CostPages, the cost of new pages.
  double CostInside = 0, CostOutside = 0, CostPages = 0;
  const EventWindow *Window = nullptr;
  size_t NextEvent = 0;
  TraceCall Next;
  uint32_t NextValues = 0;
  std::vector<TraceCall> Open;
  size_t Depth = 0;
  std::vector<uint32_t> OpenOf; // number of open calls, by function
  // Owed: cost of a function's calls that is not yet subtracted, in ns. Limit: the
  // maximum that may be subtracted.
  struct Account {
    double Owed = 0, Limit = 0;
  };
  std::vector<Account> Accounts; // by function: see takeCostOut()
  std::vector<EventWindow> Aside;
  size_t NumAside = 0;
  // End times of skipped calls that are still open, by frame.
  std::map<uint32_t, uint64_t> AsideOpen;
  // Number of open calls up to and including the outermost call that CallFilter::Under
  // matches.
  std::optional<size_t> Outer;
};

/// Receives all calls of a recording, for example to sum them up or to convert them.
class CallSink {
public:
  virtual ~CallSink();
  virtual void beginThread(const TraceThread &) {}
  /// The last call of Open has begun. All other calls of Open contain this call.
  virtual void begin(llvm::ArrayRef<TraceCall> /*Open*/, const DataValues *) {}
  /// The calls of Open from Depth on have ended. The next call begins at Next; without
  /// Next the thread has no further calls.
  virtual void end(llvm::ArrayRef<TraceCall> /*Open*/, size_t /*Depth*/,
                   std::optional<uint64_t> /*Next*/) {}
  virtual void endThread(const TraceThread &) {}
};

/// Passes the selected calls of T to the sinks, one thread after another. If calls of a
/// thread overlap, as calls of fibers do, StacksApart passes the calls of each stack
/// separately. Sinks with StacksApart need the nesting of calls, but not their order.
void readCalls(Trace &T, llvm::ArrayRef<CallSink *> Sinks, bool StacksApart = false);

/// The windows of one thread, for merging the calls of several threads. Workers make the
/// next windows in advance.
class AheadWindows : public WindowSource {
public:
  /// All: the workers, shared by all threads. Threads: number of threads. This object
  /// must outlive the workers' jobs.
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
  // Limits the memory for windows of about 200 KB each. With more than MostThreads
  // threads, no window is made in advance.
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
  std::array<Entry, Most> Entries; // a ring: one entry in use, then Asked queued entries
  size_t First = 0, Asked = 0;
};

} // namespace patchbay
