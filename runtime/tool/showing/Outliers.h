// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the slow calls of one function did that its other calls did not: two trees of the
// same shape, one of each kind.
#ifndef PATCHBAY_TOOL_OUTLIERS_H
#define PATCHBAY_TOOL_OUTLIERS_H

#include "CallTree.h"
#include "Spread.h"
#include "llvm/ADT/SetVector.h"
#include <functional>

namespace patchbay {

/// How long the calls of a function took, by which it is decided which are slow. Calls
/// within others of the function are no calls of their own: their time is in these.
class RootDurations : public CallSink {
public:
  /// IsRoot: by index in Trace::Functions, as far as these are known.
  using Predicate = std::function<bool(uint32_t Function)>;
  explicit RootDurations(Predicate IsRoot) : IsRoot(std::move(IsRoot)) {}
  void begin(llvm::ArrayRef<TraceCall> Open, const DataValues *) override;
  void end(llvm::ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override;

  Spread Durations;        // of those that were seen to end
  uint64_t Unfinished = 0; // the others
  llvm::SetVector<uint32_t> Functions; // of those that IsRoot means: which were called

private:
  Predicate IsRoot;
  std::optional<size_t> RootDepth; // of the call that is open
};

/// Adds up what calls of a function did, the slow ones apart from the others.
class OutlierTrees : public CallSink {
public:
  struct Slowest {
    uint64_t Start, Duration; // in ns
    const TraceThread *Thread;
    DataValues Values; // see WhySlow
  };
  /// Calls that took From ns or more are slow. Show: how many of the slowest are kept.
  OutlierTrees(RootDurations::Predicate IsRoot, uint64_t From, size_t Show);
  void beginThread(const TraceThread &Thread) override { Current = &Thread; }
  void begin(llvm::ArrayRef<TraceCall> Open, const DataValues *) override;
  void end(llvm::ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override;

  /// When all calls were read.
  void finish();

  /// Both have the same nodes. That below the first is the function.
  CallTree Slow, Others;
  Spread SlowDurations, OtherDurations;
  std::vector<Slowest> TheSlowest; // longest first

private:
  uint32_t sub(uint32_t Parent, uint32_t Function);
  void endRoot(const TraceCall &C);

  RootDurations::Predicate IsRoot;
  uint64_t From;
  size_t Show;
  const TraceThread *Current = nullptr;
  std::optional<size_t> RootDepth; // of the call that is open
  bool IsCounted = false;          // whether it was seen to end
  DataValues RootValues;           // its
  std::vector<uint32_t> Nodes;     // of calls that are open, from it on
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Subs;
  struct Sum {
    uint64_t Calls = 0, Total = 0, Self = 0;
  };
  std::vector<Sum> Sums;         // by node, of the call that is open
  std::vector<uint32_t> Touched; // of these, those with calls
};

} // namespace patchbay

#endif
