// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page's timeline of each thread: a row for each depth, with calls side by
// side. Its memory does not depend on the number of calls: if there are too
// many, adjacent short calls are merged into one span with a count. So no call
// is missing, but the maximum zoom depends on the length of the recording.
#pragma once

#include "reading/CallStream.h"

namespace patchbay {

/// One call, or several consecutive calls.
struct TimelineSpan {
  uint64_t Start, Length; // in ns, from the beginning of the first call to the
                          // end of the last
  uint64_t Calls;
  uint64_t Busy;          // the part of Length in the calls, without the cost of
                          // tracing and, if recorded, without sleep
  uint64_t Within;        // number of nested calls that are too deep for a row
  uint64_t Longest;       // duration of the longest call
  uint32_t Function;      // function of the longest call
  bool Open, CutOff;      // does a call lack a return? see TraceCall
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

  /// Merges spans. Returns false if none are left to merge.
  bool coarsen();
  size_t spans() const { return Spans; }
  /// In ns: calls of at least this duration have a span of their own; 1 if all
  /// calls do.
  uint64_t resolution() const { return uint64_t(1) << Shift; }
  /// Maximum number of rows of a thread.
  size_t maxRows() const { return MaxRows; }
  /// Is any call too deep for maxRows()? The innermost row counts such calls.
  bool hasDeeper() const { return AnyDeeper; }

  uint64_t Begin = UINT64_MAX, End = 0; // of all calls, in ns
  std::vector<TimelineThread> Threads;

  /// The number of calls that began in each part of the time from ActivityBegin
  /// on, by function.
  static constexpr size_t Parts = 256;
  std::vector<std::vector<uint32_t>> Activity; // empty: never called
  uint64_t ActivityBegin = 0, ActivityPart = 1; // begin, and a part's length, in ns

private:
  void add(const TraceCall &C, size_t Depth);
  bool append(std::vector<TimelineSpan> &Row, const TimelineSpan &S) const;
  void halveRows();

  size_t MaxSpans, Spans = 0, Rows = 0;
  unsigned Shift = 0; // spans shorter than 2^Shift ns may be merged
  size_t MaxRows = 1024;
  uint64_t Deeper = 0; // number of calls without a row within the call that is
                       // being added
  bool AnyDeeper = false;
};

} // namespace patchbay
