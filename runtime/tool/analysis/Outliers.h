// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares slow calls of a function with its other calls, by two trees with the same nodes.
#pragma once

#include "CallTree.h"
#include "Durations.h"
#include "llvm/ADT/SetVector.h"

namespace patchbay {

/// The durations of a function's calls, which decide which calls are slow. A nested call of the
/// function is not counted: the outer call includes its time.
class RootDurations : public CallSink {
public:
  /// IsRoot: is the function with this index in Trace::Functions the root? Called only for
  /// functions that have been read.
  using Predicate = std::function<bool(uint32_t Function)>;
  explicit RootDurations(Predicate IsRoot) : IsRoot(std::move(IsRoot)) {}
  void begin(llvm::ArrayRef<TraceCall> Open, const DataValues *) override;
  void end(llvm::ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override;

  Spread Durations;        // of calls with a known end
  uint64_t Unfinished = 0; // calls without a known end
  llvm::SetVector<uint32_t> Functions; // root functions that were called

private:
  Predicate IsRoot;
  std::optional<size_t> RootDepth; // of the open root call
};

/// The shortest duration of a slow call: above the 99th percentile. With fewer than 100 calls,
/// only the slowest call is slow.
uint64_t leastOfSlow(const Spread &Durations);

/// The values of a node, per call of the function.
struct OutlierLine {
  uint32_t Node;
  double SlowTotal, OtherTotal, SlowSelf, OtherSelf, SlowCalls, OtherCalls;
  bool MakesDifference; // do slow calls differ in this node or a descendant?
  bool IsSlowRough, IsOtherRough; // are the times mostly tracing cost? see isMostlyCost()
  double more() const { return SlowTotal - OtherTotal; }
  double itself() const { return SlowSelf - OtherSelf; }
};

/// Builds the trees of callees, separately for slow calls and other calls of a function.
class OutlierTrees : public CallSink {
public:
  /// The cause of a slow call: the function whose self time exceeds its average in the other
  /// calls so far by most.
  struct Cause {
    uint32_t Function = UINT32_MAX;
    uint64_t Calls = 0, Total = 0, Measured = 0; // of slow calls with this cause
    double More = 0; // additional self time of the function in these calls
  };
  struct Slowest {
    uint64_t Start, Duration, Cost; // in ns; see TraceCall
    const TraceThread *Thread;
    DataValues Values; // see WhySlow
    uint32_t Cause;    // the function that made the call slow
    bool IsRough;      // is the duration mostly tracing cost?
  };
  /// Calls of at least From ns are slow. Show: the number of slowest calls to
  /// keep.
  OutlierTrees(RootDurations::Predicate IsRoot, uint64_t From, size_t Show);
  void beginThread(const TraceThread &Thread) override { Current = &Thread; }
  void begin(llvm::ArrayRef<TraceCall> Open, const DataValues *) override;
  void end(llvm::ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override;

  /// Both trees have the same nodes. The root function is the child of the first node.
  CallTree Slow, Others;
  Spread SlowDurations, OtherDurations;
  std::vector<Slowest> TheSlowest; // longest first
  std::vector<Cause> causes() const; // sorted by additional time, most first
  /// The average of slow calls, at least From. The computed average may be less, since sums
  /// exclude average costs, while single calls exclude their own cost.
  uint64_t slowAverage() const {
    return std::max(Slow[1].Total / SlowDurations.calls(), From);
  }
  /// All nodes except the first, each before its descendants. Siblings with the largest
  /// difference come first.
  std::vector<OutlierLine> lines() const;

private:
  uint32_t sub(uint32_t Parent, uint32_t Function);
  void endRoot(const TraceCall &C);
  uint32_t addCause(const TraceCall &C);

  RootDurations::Predicate IsRoot;
  uint64_t From;
  size_t Show;
  const TraceThread *Current = nullptr;
  std::optional<size_t> RootDepth; // depth of the open root call
  bool IsCounted = false;          // is the end of the root call known?
  DataValues RootValues;           // the values of the root call
  std::vector<uint32_t> Nodes;     // nodes of open calls, from the root call on
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Subs;
  struct Sum {
    uint64_t Calls = 0, Total = 0, Self = 0, Measured = 0;
  };
  std::map<uint32_t, Cause> Causes; // by function
  std::vector<Sum> Sums;         // by node: sums of the open root call
  std::vector<uint32_t> Touched; // nodes of Sums that have calls
};

} // namespace patchbay
