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

/// The first tick of a thread's own clock at which calls of T.Chosen may begin.
uint64_t firstTick(const Trace &T, const TraceThread &Thread);

class CallStream {
public:
  /// T gets the names of functions that are called, and counts those calls that
  /// did not return.
  CallStream(Trace &T, const TraceThread &Thread, WindowSource &Windows);

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

private:
  bool readNext();
  bool isChosen(const TraceCall &C);
  bool isBehindChosen() const;
  void endCalls(bool IsEnd);

  Trace &T;
  const TraceThread &Thread;
  WindowSource &Windows;
  const DataFile &Data;
  Clock Time;
  OwnClock Own;
  bool EntriesOnly;
  const EventWindow *Window = nullptr;
  size_t NextEvent = 0;
  TraceCall Next;
  uint32_t NextValues = 0;
  std::vector<TraceCall> Open;
  size_t Depth = 0;
  std::vector<uint32_t> OpenOf; // by function: how many are open
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

/// Shows the calls of T that are chosen to the sinks, one thread after the other.
void readCalls(Trace &T, llvm::ArrayRef<CallSink *> Sinks);

} // namespace patchbay

#endif
