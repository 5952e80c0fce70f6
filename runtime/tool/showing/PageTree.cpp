// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PageTree.h"

using namespace llvm;
using namespace patchbay;

uint32_t PageTree::sub(uint32_t Parent, uint32_t Function) {
  auto [At, New] = Subs.try_emplace({Parent, Function}, uint32_t(Nodes.size()));
  if (New)
    Nodes.push_back({Function, Parent, Nodes[Parent].Depth + 1, {}, {}, 0});
  return At->second;
}

static void addTo(PageSums &Sum, const PageSums &S) {
  Sum.Calls += S.Calls;
  Sum.Total += S.Total;
  Sum.Self += S.Self;
  Sum.Open += S.Open;
  Sum.CutOff += S.CutOff;
}

void PageTree::add(const CallTree &Tree, ArrayRef<uint32_t> Of, bool IsBefore) {
  std::vector<uint32_t> Places(Tree.size());
  for (uint32_t I = 0; I != Tree.size(); ++I) {
    const CallNode &N = Tree[I];
    if (I)
      Places[I] = sub(Places[N.Parent], Of[N.Function]);
    PageNode &To = Nodes[Places[I]];
    addTo(IsBefore ? To.Before : To.After,
          {N.Calls, N.Total, N.Self, N.Open, N.CutOff});
  }
}

static uint64_t weight(const PageNode &N) {
  return std::max(N.After.Total, N.Before.Total);
}

void PageTree::dropRare(size_t MaxNodes) {
  std::vector<uint64_t> Weights;
  for (const PageNode &N : Nodes)
    Weights.push_back(weight(N));
  std::nth_element(Weights.begin(), Weights.begin() + MaxNodes, Weights.end(),
                   std::greater<>());
  uint64_t TooLittle = Weights[MaxNodes];
  std::vector<PageNode> Kept;
  // The current index of each node, or of the node that it was merged into.
  std::vector<uint32_t> Places;
  DenseMap<uint32_t, uint32_t> OthersOf; // nodes for "others", by parent
  for (uint32_t I = 0; I != Nodes.size(); ++I) {
    PageNode N = Nodes[I];
    N.Parent = I ? Places[N.Parent] : 0;
    bool IsWithin = I && Kept[N.Parent].Function == PageNode::Others;
    if (!I || (!IsWithin && weight(N) > TooLittle)) {
      Places.push_back(Kept.size());
      Kept.push_back(N);
      continue;
    }
    uint32_t To = N.Parent;
    if (!IsWithin) {
      auto [At, New] = OthersOf.try_emplace(N.Parent, uint32_t(Kept.size()));
      To = At->second;
      if (New)
        Kept.push_back({PageNode::Others, N.Parent, N.Depth, {}, {}, 0});
    }
    // The node for "others" already includes the time of the nodes below it.
    if (IsWithin)
      N.After.Total = N.Before.Total = 0;
    addTo(Kept[To].After, N.After);
    addTo(Kept[To].Before, N.Before);
    ++Kept[To].Paths;
    Places.push_back(To);
  }
  Nodes = std::move(Kept);
}

std::vector<PageNode> PageTree::finish(size_t MaxNodes) {
  if (Nodes.size() > MaxNodes)
    dropRare(MaxNodes);
  std::vector<PageNode> InOrder = {Nodes[0]};
  for (uint32_t I :
       inOrder(Nodes.size(), [&](uint32_t Of) { return Nodes[Of].Parent; },
               [&](uint32_t A, uint32_t B) {
                 return std::make_tuple(weight(Nodes[B]), Nodes[A].Function) <
                        std::make_tuple(weight(Nodes[A]), Nodes[B].Function);
               }))
    InOrder.push_back(Nodes[I]);
  return InOrder;
}
