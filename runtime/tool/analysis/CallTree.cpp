// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CallTree.h"
#include <numeric>

using namespace llvm;
using namespace patchbay;

// Marks a call outside of the root.
static constexpr uint32_t AboveRoot = UINT32_MAX;

uint32_t TreeBuilder::sub(uint32_t Parent, uint32_t Function) {
  auto [At, New] = Subs.try_emplace({Parent, Function}, uint32_t(Tree.size()));
  if (New)
    Tree.push_back({Function, Parent, Parent ? Tree[Parent].Depth + 1 : 0});
  return At->second;
}

bool TreeBuilder::isRoot(uint32_t Function) {
  while (IsRoot.size() <= Function)
    IsRoot.push_back(T.isNamedBy(IsRoot.size(), Root.str()));
  return IsRoot[Function];
}

void TreeBuilder::begin(ArrayRef<TraceCall> Open, const DataValues *) {
  if (Callers)
    return;
  uint32_t Function = Open.back().Function;
  Nodes.resize(Open.size() - 1);
  uint32_t Outer = Nodes.empty() ? AboveRoot : Nodes.back();
  if (Outer == AboveRoot &&
      (Root.empty() ? Nodes.empty() : isRoot(Function)))
    Outer = 0;
  Nodes.push_back(Outer == AboveRoot ? AboveRoot : sub(Outer, Function));
}

void TreeBuilder::end(ArrayRef<TraceCall> Open, size_t Depth,
                      std::optional<uint64_t>) {
  for (size_t I = Open.size(); I != Depth; --I) {
    const TraceCall &C = Open[I - 1];
    if (Callers && isRoot(C.Function))
      addCallers(Open.take_front(I));
    else if (!Callers && Nodes[I - 1] != AboveRoot)
      add(Nodes[I - 1], C, /*InTotal=*/true);
  }
}

void TreeBuilder::add(uint32_t Node, const TraceCall &C, bool InTotal) {
  CallNode &N = Tree[Node];
  ++N.Calls;
  N.Total += InTotal ? C.Net : 0;
  N.Measured += InTotal ? C.measured() : 0;
  N.Self += C.netSelf();
  if (C.Kind == TraceCall::Unfinished)
    ++(C.Open ? N.Open : N.CutOff);
  N.Entries += C.Kind == TraceCall::Entry;
}

// Goes from the call outwards.
void TreeBuilder::addCallers(ArrayRef<TraceCall> Open) {
  const TraceCall &C = Open.back();
  uint32_t Node = 0;
  for (const TraceCall &Outer : llvm::reverse(Open)) {
    Node = sub(Node, Outer.Function);
    add(Node, C, !C.Recursive);
  }
}

CallTree TreeBuilder::finish() {
  for (const CallNode &N : ArrayRef(Tree).drop_front())
    if (!N.Parent) {
      Tree[0].Calls += N.Calls;
      Tree[0].Total += N.Total;
    }
  return std::move(Tree);
}

std::vector<uint32_t> patchbay::inOrder(
    const CallTree &Tree,
    function_ref<bool(const CallNode &, const CallNode &)> Less) {
  // Then nodes with the same parent are adjacent, in the requested order.
  std::vector<uint32_t> Siblings(Tree.size() - 1);
  std::iota(Siblings.begin(), Siblings.end(), 1);
  llvm::sort(Siblings, [&](uint32_t A, uint32_t B) {
    if (Tree[A].Parent != Tree[B].Parent)
      return Tree[A].Parent < Tree[B].Parent;
    return Less(Tree[A], Tree[B]);
  });
  std::vector<uint32_t> First(Tree.size() + 1), Order, Next;
  for (uint32_t I : Siblings)
    ++First[Tree[I].Parent + 1];
  std::partial_sum(First.begin(), First.end(), First.begin());
  auto AddSubs = [&](uint32_t Of) {
    for (uint32_t I = First[Of + 1]; I != First[Of]; --I)
      Next.push_back(Siblings[I - 1]);
  };
  AddSubs(0);
  while (!Next.empty()) {
    Order.push_back(Next.back());
    Next.pop_back();
    AddSubs(Order.back());
  }
  return Order;
}
