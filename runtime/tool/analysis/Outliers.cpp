// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Outliers.h"
#include <cmath>

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
}

void RootDurations::end(ArrayRef<TraceCall> Open, size_t Depth,
                        std::optional<uint64_t>) {
  if (!RootDepth || Depth > *RootDepth)
    return;
  const TraceCall &C = Open[*RootDepth];
  if (C.hasDuration())
    Durations.add(C.Duration);
  else
    ++Unfinished;
  RootDepth.reset();
}

OutlierTrees::OutlierTrees(RootDurations::Predicate IsRoot, uint64_t From,
                           size_t Show)
    : IsRoot(std::move(IsRoot)), From(From), Show(Show) {
  Slow.push_back({UINT32_MAX, 0, 0});
  Others = Slow;
  Sums.emplace_back();
}

uint32_t OutlierTrees::sub(uint32_t Parent, uint32_t Function) {
  auto [At, New] = Subs.try_emplace({Parent, Function}, uint32_t(Slow.size()));
  if (New) {
    Slow.push_back({Function, Parent, Parent ? Slow[Parent].Depth + 1 : 0});
    Others.push_back(Slow.back());
    Sums.emplace_back();
  }
  return At->second;
}

void OutlierTrees::begin(ArrayRef<TraceCall> Open, const DataValues *V) {
  const TraceCall &C = Open.back();
  if (!RootDepth) {
    if (!IsRoot(C.Function))
      return;
    RootDepth = Open.size() - 1;
    // Ignore a call without a known end, and its callees.
    IsCounted = C.hasDuration();
    RootValues = V ? *V : DataValues();
  }
  if (!IsCounted)
    return;
  Nodes.resize(Open.size() - 1 - *RootDepth);
  Nodes.push_back(sub(Nodes.empty() ? 0 : Nodes.back(), C.Function));
}

void OutlierTrees::end(ArrayRef<TraceCall> Open, size_t Depth,
                       std::optional<uint64_t>) {
  if (!RootDepth)
    return;
  for (size_t I = Open.size(); IsCounted && I > std::max(Depth, *RootDepth); --I) {
    const TraceCall &C = Open[I - 1];
    uint32_t Node = Nodes[I - 1 - *RootDepth];
    Sum &S = Sums[Node];
    if (!S.Calls++)
      Touched.push_back(Node);
    S.Total += C.Net;
    S.Self += C.netSelf();
    S.Measured += C.measured();
  }
  if (Depth > *RootDepth)
    return;
  if (IsCounted)
    endRoot(Open[*RootDepth]);
  RootDepth.reset();
}

// Finds the cause of a slow call that has ended.
uint32_t OutlierTrees::addCause(const TraceCall &Call) {
  const double NrOthers = std::max<uint64_t>(OtherDurations.calls(), 1);
  std::map<uint32_t, double> More;
  for (uint32_t Node : Touched)
    More[Slow[Node].Function] +=
        double(Sums[Node].Self) - double(Others[Node].Self) / NrOthers;
  auto Most = llvm::max_element(
      More, [](const auto &A, const auto &B) { return A.second < B.second; });
  Cause &C = Causes[Most->first];
  C.Function = Most->first;
  ++C.Calls;
  C.Total = SaturatingAdd(C.Total, Call.Net);
  C.Measured = SaturatingAdd(C.Measured, Call.measured());
  C.More += Most->second;
  return Most->first;
}

std::vector<OutlierTrees::Cause> OutlierTrees::causes() const {
  std::vector<Cause> Sorted;
  for (const auto &[Function, C] : Causes)
    Sorted.push_back(C);
  llvm::sort(Sorted, [](const Cause &A, const Cause &B) {
    return std::tie(B.More, B.Calls, A.Function) < std::tie(A.More, A.Calls, B.Function);
  });
  return Sorted;
}

// Adds a call to the tree for slow calls or for other calls, since its duration is known at its
// end.
void OutlierTrees::endRoot(const TraceCall &C) {
  bool IsSlow = C.Duration >= From;
  uint32_t Cause = IsSlow ? addCause(C) : UINT32_MAX;
  for (uint32_t Node : Touched) {
    CallNode &N = (IsSlow ? Slow : Others)[Node];
    Sum S = std::exchange(Sums[Node], {});
    N.Calls += S.Calls;
    N.Total += S.Total;
    N.Self += S.Self;
    N.Measured += S.Measured;
  }
  Touched.clear();
  (IsSlow ? SlowDurations : OtherDurations).add(C.Duration);
  auto Behind = llvm::upper_bound(
      TheSlowest, C.Duration,
      [](uint64_t Ns, const Slowest &S) { return Ns > S.Duration; });
  if (!IsSlow || Behind == TheSlowest.begin() + Show)
    return;
  TheSlowest.insert(Behind, {C.Start, C.Duration, C.Cost, Current, std::move(RootValues), Cause,
                             isMostlyCost(C.measured(), C.Duration)});
  if (TheSlowest.size() > Show)
    TheSlowest.pop_back();
}

uint64_t patchbay::leastOfSlow(const Spread &Durations) {
  double N = Durations.calls();
  uint64_t Usual = Durations.quantile(1 - std::max(1 / std::max(N, 1.0), 0.01));
  return Usual + Usual / 64 + 1; // above its whole bucket, see Spread
}

std::vector<OutlierLine> OutlierTrees::lines() const {
  double SlowN = SlowDurations.calls(), OtherN = OtherDurations.calls();
  std::vector<OutlierLine> Lines;
  for (uint32_t I = 0; I != Slow.size(); ++I) {
    const CallNode &S = Slow[I], &O = Others[I];
    Lines.push_back({I, S.Total / SlowN, O.Total / OtherN, S.Self / SlowN, O.Self / OtherN,
                     S.Calls / SlowN, O.Calls / OtherN, false, S.isMostlyCost(),
                     O.isMostlyCost()});
  }
  const double Least = std::abs(Lines[1].more()) / 100;
  for (size_t I = Lines.size() - 1; I; --I) {
    OutlierLine &L = Lines[I];
    L.MakesDifference |= std::abs(L.more()) >= Least || std::abs(L.itself()) >= Least;
    if (L.MakesDifference)
      Lines[Slow[I].Parent].MakesDifference = true;
  }
  std::vector<OutlierLine> Ordered;
  for (uint32_t I : inOrder(Slow, [&](const CallNode &A, const CallNode &B) {
         return std::make_pair(-Lines[&A - Slow.data()].more(), A.Function) <
                std::make_pair(-Lines[&B - Slow.data()].more(), B.Function);
       }))
    Ordered.push_back(Lines[I]);
  return Ordered;
}
