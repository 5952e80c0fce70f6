// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The difference between slow calls of a function and its other calls: two
// trees of the same shape, one for each kind.
#pragma once

#include "CallTree.h"
#include "Spread.h"
#include "llvm/ADT/SetVector.h"
#include <functional>

namespace patchbay {

/// The durations of a function's calls, which decide which are slow. Nested calls of the
/// function are not counted separately: the outer call includes their time.
class RootDurations : public CallSink {
public:
  /// IsRoot: by index in Trace::Functions, as far as known.
  using Predicate = std::function<bool(uint32_t Function)>;
  explicit RootDurations(Predicate IsRoot) : IsRoot(std::move(IsRoot)) {}
  void begin(llvm::ArrayRef<TraceCall> Open, const DataValues *) override;
  void end(llvm::ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override;

  Spread Durations;        // of calls with a known end
  uint64_t Unfinished = 0; // the others
  llvm::SetVector<uint32_t> Functions; // root functions that were called

private:
  Predicate IsRoot;
  std::optional<size_t> RootDepth; // of the open call
};

/// The least duration of a slow call: above the 99th percentile or, with fewer than 100
/// calls, above all calls but one.
uint64_t leastOfSlow(const Spread &Durations);

/// The values of a node, per call of the function.
struct OutlierLine {
  uint32_t Node;
  double SlowTotal, OtherTotal, SlowSelf, OtherSelf, SlowCalls, OtherCalls;
  bool MakesDifference; // does this node, or a node below it, make a difference?
  bool IsSlowRough, IsOtherRough; // mostly cost: see isMostlyCost()
  double more() const { return SlowTotal - OtherTotal; }
  double itself() const { return SlowSelf - OtherSelf; }
};

/// Adds up the callees of a function's calls, for slow calls and others separately.
class OutlierTrees : public CallSink {
public:
  /// The function with the most additional self time in a slow call, compared
  /// with the average of the other calls so far.
  struct Cause {
    uint32_t Function = UINT32_MAX;
    uint64_t Calls = 0, Total = 0, Measured = 0; // of slow calls with this cause
    double More = 0;               // its additional self time in them
  };
  struct Slowest {
    uint64_t Start, Duration, Cost; // in ns; see TraceCall
    const TraceThread *Thread;
    DataValues Values; // see WhySlow
    uint32_t Cause;    // function
    bool IsRough;      // mostly cost
  };
  /// Calls of at least From ns are slow. Show: how many of the slowest are kept.
  OutlierTrees(RootDurations::Predicate IsRoot, uint64_t From, size_t Show);
  void beginThread(const TraceThread &Thread) override { Current = &Thread; }
  void begin(llvm::ArrayRef<TraceCall> Open, const DataValues *) override;
  void end(llvm::ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override;

  /// Both have the same nodes. The function is below the first one.
  CallTree Slow, Others;
  Spread SlowDurations, OtherDurations;
  std::vector<Slowest> TheSlowest; // longest first
  std::vector<Cause> causes() const; // of most additional time first
  /// The average of slow calls, at least From. (Single calls exclude their own cost, and
  /// sums exclude average costs, so the computed average may be less.)
  uint64_t slowAverage() const {
    return std::max(Slow[1].Total / SlowDurations.calls(), From);
  }
  /// All nodes but the first, each before those below it, largest difference first.
  std::vector<OutlierLine> lines() const;

private:
  uint32_t sub(uint32_t Parent, uint32_t Function);
  void endRoot(const TraceCall &C);
  uint32_t addCause(const TraceCall &C);

  RootDurations::Predicate IsRoot;
  uint64_t From;
  size_t Show;
  const TraceThread *Current = nullptr;
  std::optional<size_t> RootDepth; // of the open call
  bool IsCounted = false;          // is its end known?
  DataValues RootValues;           // its values
  std::vector<uint32_t> Nodes;     // of open calls, from it on
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Subs;
  struct Sum {
    uint64_t Calls = 0, Total = 0, Self = 0, Measured = 0;
  };
  std::map<uint32_t, Cause> Causes; // by function
  std::vector<Sum> Sums;         // by node, of the open call
  std::vector<uint32_t> Touched; // those with calls
};

} // namespace patchbay
