// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the contents of `patchbay report`: functions with their calls and times.
#pragma once

#include "reading/CallStream.h"
#include "llvm/ADT/DenseMap.h"
#include <algorithm>

namespace patchbay {

/// A histogram of durations with an error of at most 1/128, in a few kilobytes for any number of
/// calls. As in HdrHistogram, the range between two powers of two has 64 buckets.
class Spread {
public:
  void add(uint64_t Ns) {
    auto [Row, Column] = place(Ns);
    if (Rows.size() <= Row)
      Rows.resize(Row + 1);
    if (Rows[Row].empty())
      Rows[Row].resize(Columns);
    ++Rows[Row][Column];
    ++Calls;
    Shortest = std::min(Shortest, Ns);
    Longest = std::max(Longest, Ns);
  }
  void add(const Spread &Other);
  uint64_t calls() const { return Calls; }
  /// The duration that the given part (0 to 1) of all calls did not exceed: the middle of a
  /// bucket, but between the shortest and the longest duration. 0 without calls.
  uint64_t quantile(double Part) const;
  /// Calls Show for each bucket with calls, shortest first. Ns: the middle of the bucket.
  void forEach(llvm::function_ref<void(uint64_t Ns, uint64_t Calls)> Show) const;

private:
  static constexpr unsigned ColumnBits = 6, Columns = 1u << ColumnBits;
  static std::pair<size_t, size_t> place(uint64_t Ns);
  static uint64_t middle(size_t Row, size_t Column);

  std::vector<std::vector<uint64_t>> Rows; // one row per power of two
  uint64_t Calls = 0, Shortest = UINT64_MAX, Longest = 0;
};

/// The p-value: the probability that two samples of the same distribution differ at least this
/// much. Uses the two-sided rank-sum test of Mann and Whitney (Ann. Math. Statist. 18, 1947) with
/// the normal approximation and the correction for ties. std::nullopt if a recording has too few
/// calls.
std::optional<double> likelihood(const Spread &A, const Spread &B);

/// Counts a call in a bucket. UnitsPerNs: the inverse of the unit, since a division for each of
/// millions of calls would be slow.
void addToBuckets(std::vector<uint64_t> &Buckets, double UnitsPerNs, uint64_t Ns);
/// The lower bound of bucket I, in ns.
uint64_t bucketStart(double Unit, size_t I);

/// How to group the calls of a function.
enum class Apart { Nothing, Thread, Caller };

struct FunctionDurations {
  uint32_t Function = 0; // index in Trace::Functions
  std::string Of; // the name of the thread or caller that calls are grouped by
  uint64_t Calls = 0;
  /// With --sample: all calls, including those that were only counted.
  uint64_t Made = 0;
  /// Excludes calls within another call of the same function. Histograms have no nesting,
  /// so their totals include all calls.
  uint64_t Total = 0;
  uint64_t Timed = 0; // calls with a known end
  uint64_t Open = 0, CutOff = 0; // calls without a known end: see TraceCall
  uint64_t Sum = 0;   // of the durations of calls with a known end
  uint64_t Self = 0;
  uint64_t Longest = 0, LongestCost = 0; // the longest call, and its TraceCall::Cost
  uint64_t Measured = 0; // Total, plus the tracing cost that Total excludes
  uint64_t Error = 0; // possible error of Total
  /// The callee that took most of the function's time.
  std::string SubName;
  uint64_t SubCalls = 0;
  uint64_t SubTotal = 0, SubMeasured = 0;
  /// Numbers of calls by duration; see addToBuckets(). Empty without durations.
  std::vector<uint64_t> Buckets;
  Spread Durations; // of calls with a known end, if requested

  uint64_t average() const { return Timed ? Sum / Timed : 0; }
  uint64_t unfinished() const { return Open + CutOff; }
  uint64_t quantile(double Part) const { return std::min(Durations.quantile(Part), Longest); }
  bool isMostlyCost() const { return patchbay::isMostlyCost(Measured, Total); }
  /// Was a call of Ns mostly tracing cost, if its cost was the average?
  bool isMostlyCost(uint64_t Ns) const {
    return Calls && (Measured - std::min(Measured, Total)) / Calls > Ns;
  }
  bool isLongestMostlyCost() const {
    return patchbay::isMostlyCost(llvm::SaturatingAdd(Longest, LongestCost), Longest);
  }
  /// Makes Longest consistent with the sums: at least the average, and at most the total. The
  /// computed values may differ, since sums exclude average costs, and single calls exclude
  /// their own cost.
  void limitLongest();
  void setError(double OfCost);
};

/// Counts the calls that it receives, and adds up their times.
class FunctionTotals : public CallSink {
public:
  explicit FunctionTotals(const Trace &T, bool WithSpread = false,
                          Apart By = Apart::Nothing)
      : T(T), UnitsPerNs(1 / T.BucketUnit), WithSpread(WithSpread), By(By) {}
  void beginThread(const TraceThread &Thread) override { Current = &Thread; }
  void begin(llvm::ArrayRef<TraceCall> Open, const DataValues *) override;
  void end(llvm::ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override;
  /// Must be called after all calls have been read. Returns functions by index in T.Functions
  /// or, if calls are grouped, in unspecified order.
  std::vector<FunctionDurations> finish();

private:
  /// The calls of one function by one caller. The sums exclude calls within another such call,
  /// like a recursive function's total.
  struct Sub {
    uint32_t Caller, Callee;
    uint64_t Calls = 0, Total = 0, Measured = 0;
    uint64_t Open = 0;
  };
  /// The last caller of a function: a cache, since the next caller is usually the same.
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
  std::vector<uint32_t> SubsOpen; // the Sub of each open call except the outermost
};

/// A percentage: "12.3".
std::string shareText(double Part, double Whole);

/// "1.234 us", with four significant digits. IsRough adds a prefix ~, for a time that was mostly
/// tracing cost.
std::string durationText(uint64_t Ns, bool IsRough = false);

} // namespace patchbay
