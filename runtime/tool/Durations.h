// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `patchbay report` shows of a recording: functions with their calls and
// the time that these took.
#ifndef PATCHBAY_TOOL_DURATIONS_H
#define PATCHBAY_TOOL_DURATIONS_H

#include "Trace.h"

namespace patchbay {

struct FunctionDurations {
  uint64_t Calls = 0;
  /// Calls that are within another one of the function are in this already; in
  /// histograms nobody knows, and they count.
  uint64_t Total = 0;
  uint64_t Timed = 0; // calls whose end was seen
  uint64_t Open = 0, CutOff = 0; // those whose end was not: see TraceCall
  uint64_t Sum = 0;   // of their durations
  uint64_t Self = 0;
  uint64_t Longest = 0;
  /// Of the functions that it calls, the one that took most of its time.
  std::string SubName;
  uint64_t SubCalls = 0;
  uint64_t SubTotal = 0;
  /// How many calls took what; see Histogram.h. Empty if there is no duration.
  std::vector<uint64_t> Buckets;

  uint64_t average() const { return Timed ? Sum / Timed : 0; }
  uint64_t unfinished() const { return Open + CutOff; }
};

/// By index in T.Functions.
std::vector<FunctionDurations> functionDurations(const Trace &T);

/// "1.234 us", with four digits that count.
std::string durationText(uint64_t Ns);

} // namespace patchbay

#endif
