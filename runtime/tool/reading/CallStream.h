// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of a thread, one after the other as they began, and which call is within
// which other. In memory are those that are open, and what is known of them by then.
#ifndef PATCHBAY_TOOL_CALLSTREAM_H
#define PATCHBAY_TOOL_CALLSTREAM_H

#include "Clock.h"
#include "EventWindows.h"
#include "Trace.h"

namespace patchbay {

/// Where a thread's windows come from.
class WindowSource {
public:
  virtual ~WindowSource();
  /// Null behind the last. It stays until the next one is asked for.
  virtual const EventWindow *next() = 0;
};

/// They are made when they are asked for.
class PlainWindows : public WindowSource {
public:
  PlainWindows(const Trace &T, const TraceThread &Thread);
  const EventWindow *next() override;

private:
  const DataFile &File;
  EventWindows Windows;
  EventWindows::Plan Plan;
  EventWindow Window;
};

/// Windows that are kept in memory, each until the next one is asked for.
class KeptWindows : public WindowSource {
public:
  explicit KeptWindows(std::vector<EventWindow> Windows) : Windows(std::move(Windows)) {}
  const EventWindow *next() override;

private:
  std::vector<EventWindow> Windows;
  size_t Next = 0;
};

/// The first tick of a thread's own clock at which calls of T.Chosen may begin.
uint64_t firstTick(const Trace &T, const TraceThread &Thread);

class CallStream {
public:
  /// T gets the names of functions that are called, and counts those calls that
  /// did not return. With OneStack, calls on other stacks than the first, as fibers
  /// have them, are not shown; takeAside() has them.
  CallStream(Trace &T, const TraceThread &Thread, WindowSource &Windows,
             bool OneStack = false);

  /// Looks for the next call, which begin() then begins. What is within each other
  /// now is in open(), outermost first. Those from depth() on ended before the next
  /// call begins, if there is one: all that is known of them is there now.
  bool advance();
  llvm::ArrayRef<TraceCall> open() const { return Open; }
  size_t depth() const { return Depth; }
  uint64_t nextStart() const { return Next.Start; }
  /// Now the last of open(). Its Duration is known if its end was seen.
  void begin();
  /// The values of the call that began last; null if none were recorded.
  const DataValues *values() const {
    return NextValues ? &Window->Values[NextValues - 1] : nullptr;
  }

  /// When there is no next call: those that were not shown.
  std::vector<EventWindow> takeAside() { return std::move(Aside); }

private:
  bool readNext();
  bool isWithin(const TraceCall &Outer) const;
  bool isAside();
  void putAside();
  bool isChosen(const TraceCall &C);
  bool isBehindChosen() const;
  void endCalls(bool IsEnd);
  void takeCostOut(TraceCall &C);

  Trace &T;
  const TraceThread &Thread;
  WindowSource &Windows;
  const DataFile &Data;
  Clock Time;
  OwnClock Own;
  bool EntriesOnly, OneStack;
  // What recording a call takes of its own duration, and of its callers', in ns: mostly,
  // on average for new pages, and all.
  double CostInside = 0, CostMostly = 0, CostPages = 0;
  double Rest = 0; // of a nanosecond, of what was taken out of sums
  const EventWindow *Window = nullptr;
  size_t NextEvent = 0;
  TraceCall Next;
  uint32_t NextValues = 0;
  std::vector<TraceCall> Open;
  size_t Depth = 0;
  std::vector<uint32_t> OpenOf; // by function: how many are open
  std::vector<EventWindow> Aside;
  size_t NumAside = 0;
  // Of those aside, by frame, when they end.
  std::map<uint32_t, uint64_t> AsideOpen;
  // How many are open around that which all that is chosen is within, with it.
  std::optional<size_t> Outer;
};

/// Of what all calls of a recording are made: sums, or another form.
class CallSink {
public:
  virtual ~CallSink();
  virtual void beginThread(const TraceThread &) {}
  /// The last of Open has begun, within the others.
  virtual void begin(llvm::ArrayRef<TraceCall> /*Open*/, const DataValues *) {}
  /// Those of Open from Depth on have ended before Next, when another begins; without
  /// it, the thread has no more.
  virtual void end(llvm::ArrayRef<TraceCall> /*Open*/, size_t /*Depth*/,
                   std::optional<uint64_t> /*Next*/) {}
  virtual void endThread(const TraceThread &) {}
};

/// Shows the calls of T that are chosen to the sinks, one thread after the other. With
/// StacksApart, where calls of a thread overlap, as those of fibers do, one stack after
/// the other: for sinks to which the order is nothing, only what is within what.
void readCalls(Trace &T, llvm::ArrayRef<CallSink *> Sinks, bool StacksApart = false);

} // namespace patchbay

#endif
