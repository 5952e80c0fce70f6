// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page's timeline of each thread: a row for each depth, with calls side by
// side. Its memory does not depend on the number of calls. If there are too
// many, adjacent short calls become one span with their number. So no call is
// missing, but the possible zoom depends on the length of the recording.
#pragma once

#include "reading/CallStream.h"

namespace patchbay {

/// A call, or several consecutive ones.
struct TimelineSpan {
  uint64_t Start, Length; // in ns, from the beginning of the first to the end
                          // of the last
  uint64_t Calls;
  uint64_t Busy;          // the part of Length within the calls, without the cost of
                          // tracing and, as the recording has it, without sleep
  uint64_t Within;        // nested calls that are too deep for a row
  uint64_t Longest;       // of the longest call
  uint32_t Function;      // of the longest call
  bool Open, CutOff;      // does one of them lack a return? see TraceCall
};

struct TimelineThread {
  uint64_t Calls = 0;
  uint64_t Busy = 0; // in ns, of outermost calls
  std::vector<std::vector<TimelineSpan>> Rows; // by depth
};

class Timeline : public CallSink {
public:
  /// MaxSpans: for all threads together.
  explicit Timeline(const Trace &T, size_t MaxSpans = 400000);
  void beginThread(const TraceThread &) override;
  void end(llvm::ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override;

  /// Merges at least two spans into one. False: none are left to merge.
  bool coarsen();
  size_t spans() const { return Spans; }
  /// In ns: calls of at least this duration have their own spans; 1 if all have.
  uint64_t resolution() const { return uint64_t(1) << Shift; }
  /// The most rows of a thread.
  size_t maxRows() const { return MaxRows; }
  /// Is a call nested too deeply for maxRows()? Such calls have no row; the innermost row
  /// counts them.
  bool hasDeeper() const { return AnyDeeper; }

  uint64_t Begin = UINT64_MAX, End = 0; // of all calls
  std::vector<TimelineThread> Threads;

  /// Times of calls: the number of calls that began in each part of the time
  /// from ActivityBegin on, by function.
  static constexpr size_t Parts = 256;
  std::vector<std::vector<uint32_t>> Activity; // empty: never
  uint64_t ActivityBegin = 0, ActivityPart = 1; // in ns

private:
  void add(const TraceCall &C, size_t Depth);
  bool append(std::vector<TimelineSpan> &Row, const TimelineSpan &S) const;
  void halveRows();

  size_t MaxSpans, Spans = 0, Rows = 0;
  unsigned Shift = 0; // spans shorter than 2^Shift ns may be merged
  size_t MaxRows = 1024;
  uint64_t Deeper = 0; // calls without a row, of a call that is not added yet
  bool AnyDeeper = false;
};

} // namespace patchbay
