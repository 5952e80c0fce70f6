// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Outliers.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace patchbay;

void RootDurations::begin(ArrayRef<TraceCall> Open, const DataValues *) {
  const TraceCall &C = Open.back();
  if (!IsRoot(C.Function))
    return;
  Functions.insert(C.Function);
  if (RootDepth)
    return;
  RootDepth = Open.size() - 1;
  if (C.hasDuration())
    Durations.add(C.Duration);
  else
    ++Unfinished;
}

void RootDurations::end(ArrayRef<TraceCall>, size_t Depth,
                        std::optional<uint64_t>) {
  if (RootDepth && Depth <= *RootDepth)
    RootDepth.reset();
}

OutlierTrees::OutlierTrees(RootDurations::Predicate IsRoot, uint64_t From,
                           size_t Show)
    : IsRoot(std::move(IsRoot)), From(From), Show(Show) {
  Slow.push_back({UINT32_MAX, 0, 0});
  Others = Slow;
}

uint32_t OutlierTrees::sub(uint32_t Parent, uint32_t Function) {
  auto [At, New] = Subs.try_emplace({Parent, Function}, uint32_t(Slow.size()));
  if (New) {
    Slow.push_back({Function, Parent, Parent ? Slow[Parent].Depth + 1 : 0});
    Others.push_back(Slow.back());
  }
  return At->second;
}

void OutlierTrees::beginRoot(const TraceCall &C, const DataValues *V) {
  bool IsSlow = C.Duration >= From;
  Tree = IsSlow ? &Slow : &Others;
  (IsSlow ? SlowDurations : OtherDurations).add(C.Duration);
  auto Behind = llvm::upper_bound(
      TheSlowest, C.Duration,
      [](uint64_t Ns, const Slowest &S) { return Ns > S.Duration; });
  if (!IsSlow || Behind == TheSlowest.begin() + Show)
    return;
  TheSlowest.insert(Behind, {C.Start, C.Duration, Current, V ? *V : DataValues()});
  if (TheSlowest.size() > Show)
    TheSlowest.pop_back();
}

// How long a call takes is known when it begins, so it is known which tree is its.
void OutlierTrees::begin(ArrayRef<TraceCall> Open, const DataValues *V) {
  const TraceCall &C = Open.back();
  if (!RootDepth) {
    if (!IsRoot(C.Function))
      return;
    // One that was not seen to end is in neither tree, nor what it called.
    RootDepth = Open.size() - 1;
    Tree = nullptr;
    if (C.hasDuration())
      beginRoot(C, V);
  }
  if (!Tree)
    return;
  Nodes.resize(Open.size() - 1 - *RootDepth);
  Nodes.push_back(sub(Nodes.empty() ? 0 : Nodes.back(), C.Function));
}

void OutlierTrees::end(ArrayRef<TraceCall> Open, size_t Depth,
                       std::optional<uint64_t>) {
  if (!RootDepth)
    return;
  for (size_t I = Open.size(); Tree && I > std::max(Depth, *RootDepth); --I) {
    const TraceCall &C = Open[I - 1];
    CallNode &N = (*Tree)[Nodes[I - 1 - *RootDepth]];
    ++N.Calls;
    N.Total += C.Duration;
    N.Self += C.self();
  }
  if (Depth <= *RootDepth)
    RootDepth.reset();
}
