// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `patchbay report` shows of a recording: functions with their calls and
// the time that these took.
#ifndef PATCHBAY_TOOL_DURATIONS_H
#define PATCHBAY_TOOL_DURATIONS_H

#include "Spread.h"
#include "reading/CallStream.h"
#include "llvm/ADT/DenseMap.h"

namespace patchbay {

/// What calls are added up by, besides their function.
enum class Apart { Nothing, Thread, Caller };

struct FunctionDurations {
  uint32_t Function = 0; // in Trace::Functions
  std::string Of; // the thread or caller, if calls are told apart by these
  uint64_t Calls = 0;
  /// Where only some calls are recorded, how many there were.
  uint64_t Made = 0;
  /// Calls that are within another one of the function are in this already; in
  /// histograms nobody knows, and they count.
  uint64_t Total = 0;
  uint64_t Timed = 0; // calls whose end was seen
  uint64_t Open = 0, CutOff = 0; // those whose end was not: see TraceCall
  uint64_t Sum = 0;   // of their durations
  uint64_t Self = 0;
  uint64_t Longest = 0;
  uint64_t Measured = 0; // Total, with what it leaves out: see TraceCall::Cost
  /// Of the functions that it calls, the one that took most of its time.
  std::string SubName;
  uint64_t SubCalls = 0;
  uint64_t SubTotal = 0;
  /// How many calls took what; see Histogram.h. Empty if there is no duration.
  std::vector<uint64_t> Buckets;
  Spread Durations; // of calls whose end was seen, if it was asked for

  uint64_t average() const { return Timed ? Sum / Timed : 0; }
  uint64_t unfinished() const { return Open + CutOff; }
  /// Whether more than half of what was measured was tracing.
  bool isMostlyCost() const { return Measured / 2 > Total; }
};

/// Adds up the calls that it is shown, and what was counted.
class FunctionTotals : public CallSink {
public:
  explicit FunctionTotals(const Trace &T, bool WithSpread = false,
                          Apart By = Apart::Nothing)
      : T(T), UnitsPerNs(1 / T.BucketUnit), WithSpread(WithSpread), By(By) {}
  void beginThread(const TraceThread &Thread) override { Current = &Thread; }
  void begin(llvm::ArrayRef<TraceCall> Open, const DataValues *) override;
  void end(llvm::ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override;
  /// By index in T.Functions, or, if they are told apart, in no order, when all calls
  /// were read.
  std::vector<FunctionDurations> finish();

private:
  /// The calls of a sub-routine by another function. One that is within another such
  /// call is not in the total, as with a function that calls itself.
  struct Sub {
    uint32_t Caller, Callee;
    uint64_t Calls = 0, Total = 0;
    uint64_t Open = 0;
  };
  /// What a function was called by last, which is mostly the next, too.
  struct Last {
    uint32_t Caller = UINT32_MAX, Sub = 0;
  };
  uint32_t sub(uint32_t Caller, uint32_t Callee);
  FunctionDurations &sumOf(llvm::ArrayRef<TraceCall> Open);

  const Trace &T;
  double UnitsPerNs;
  bool WithSpread;
  Apart By;
  const TraceThread *Current = nullptr;
  std::map<std::pair<uint32_t, uint64_t>, FunctionDurations> ToldApart;
  std::vector<FunctionDurations> Functions;
  std::vector<Sub> Subs;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> SubOf;
  std::vector<Last> LastOf;     // by callee
  std::vector<uint32_t> SubsOpen; // of calls that are open, but the outermost
};

/// "1.234 us", with four digits that count.
std::string durationText(uint64_t Ns);

} // namespace patchbay

#endif
