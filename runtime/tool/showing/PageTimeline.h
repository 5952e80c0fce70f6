// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page's timeline of each thread: a row for each depth, with calls side by side. To
// limit the memory, adjacent short calls are merged into one span with a count. So every
// call is counted, but the maximum zoom depends on the length of the recording.
#pragma once

#include "reading/CallStream.h"

namespace patchbay {

/// One call, or several consecutive calls.
struct TimelineSpan {
  uint64_t Start, Length; // in ns, from the begin of the first call to the end of the
                          // last call
  uint64_t Calls;
  uint64_t Busy;          // total duration of the calls, without the cost of tracing
                          // and, if recorded, without sleep
  uint64_t Within;        // number of nested calls that are too deep for a row
  uint64_t Longest;       // duration of the longest call
  uint32_t Function;      // function of the longest call
  bool Open, CutOff;      // is a call unfinished? see TraceCall::Open
};

struct TimelineThread {
  uint64_t Calls = 0;
  uint64_t Busy = 0; // sum of outermost calls, in ns
  std::vector<std::vector<TimelineSpan>> Rows; // indexed by depth
};

class Timeline : public CallSink {
public:
  /// MaxSpans: the limit for all threads together.
  explicit Timeline(const Trace &T, size_t MaxSpans = 400000);
  void beginThread(const TraceThread &) override;
  void end(llvm::ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override;

  /// Merges spans. Returns false if no spans can be merged.
  bool coarsen();
  size_t spans() const { return Spans; }
  /// Calls of at least this many ns have a span of their own. 1: all calls do.
  uint64_t resolution() const { return uint64_t(1) << Shift; }
  /// Maximum number of rows of a thread.
  size_t maxRows() const { return MaxRows; }
  /// Is any call too deep for maxRows()? The innermost row counts such calls.
  bool hasDeeper() const { return AnyDeeper; }

  uint64_t Begin = UINT64_MAX, End = 0; // begin and end of all calls, in ns
  std::vector<TimelineThread> Threads;

  /// By function: the number of calls that began in each of Parts intervals.
  static constexpr size_t Parts = 256;
  std::vector<std::vector<uint32_t>> Activity; // empty: never called
  uint64_t ActivityBegin = 0, ActivityPart = 1; // begin and length of an interval, in ns

private:
  void add(const TraceCall &C, size_t Depth);
  bool append(std::vector<TimelineSpan> &Row, const TimelineSpan &S) const;
  void halveRows();

  size_t MaxSpans, Spans = 0, Rows = 0;
  unsigned Shift = 0; // spans shorter than 2^Shift ns may be merged
  size_t MaxRows = 1024;
  uint64_t Deeper = 0; // number of calls without a row within the open call of the
                       // innermost row
  bool AnyDeeper = false;
};

} // namespace patchbay
