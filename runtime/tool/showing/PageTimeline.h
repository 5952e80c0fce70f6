// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the page's timeline shows of each thread: a row for each depth, with calls side by
// side. However many calls there are, it takes the same memory: when there are too many,
// short ones that are next to each other become one span that knows how many they are.
// So none is left out; but how far one can zoom depends on how long the recording is.
#ifndef PATCHBAY_TOOL_PAGETIMELINE_H
#define PATCHBAY_TOOL_PAGETIMELINE_H

#include "reading/CallStream.h"

namespace patchbay {

/// A call, or some that follow one another.
struct TimelineSpan {
  uint64_t Start, Length; // in ns, from where the first begins to where the last ends
  uint64_t Calls;
  uint64_t Busy;          // what of Length is within them
  uint64_t Within;        // calls in them that are too deep for a row of their own
  uint64_t Longest;       // of the longest of them,
  uint32_t Function;      // which is of this function
  bool Open, CutOff;      // whether one of them was not seen to return: see TraceCall
};

struct TimelineThread {
  uint64_t Calls = 0;
  uint64_t Busy = 0; // in ns: of those that are in no other
  std::vector<std::vector<TimelineSpan>> Rows; // by depth
};

class Timeline : public CallSink {
public:
  /// MaxSpans: how many there are at most, of all threads.
  explicit Timeline(const Trace &T, size_t MaxSpans = 400000);
  void beginThread(const TraceThread &) override;
  void end(llvm::ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override;

  /// Makes at least one span of two, if that can be; false: there is nothing more that
  /// could be one.
  bool coarsen();
  size_t spans() const { return Spans; }
  /// In ns: calls that took so long are apart; 1 if all are.
  uint64_t resolution() const { return uint64_t(1) << Shift; }
  /// How many rows a thread has at most.
  size_t maxRows() const { return MaxRows; }
  /// Whether a call has no row, and is only counted in the one that it is within.
  bool hasDeeper() const { return AnyDeeper; }

  uint64_t Begin = UINT64_MAX, End = 0; // of all calls
  std::vector<TimelineThread> Threads;

  /// When functions were called: how many calls began in each of so many parts of the
  /// time from ActivityBegin on, by function.
  static constexpr size_t Parts = 256;
  std::vector<std::vector<uint32_t>> Activity; // empty: never
  uint64_t ActivityBegin = 0, ActivityPart = 1; // in ns

private:
  void add(const TraceCall &C, size_t Depth);
  bool append(std::vector<TimelineSpan> &Row, const TimelineSpan &S) const;
  void halveRows();

  size_t MaxSpans, Spans = 0, Rows = 0;
  unsigned Shift = 0; // spans shorter than 2^Shift ns may be one
  size_t MaxRows = 1024;
  uint64_t Deeper = 0; // calls without a row, of that which is not there yet
  bool AnyDeeper = false;
};

} // namespace patchbay

#endif
