// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CallTree.h"
#include "llvm/ADT/DenseMap.h"
#include <numeric>

using namespace llvm;
using namespace patchbay;

namespace {

class TreeBuilder {
public:
  TreeBuilder(const Trace &T, StringRef Root, CallTree &Tree)
      : T(T), Root(Root), Tree(Tree) {}
  void addThread(const TraceThread &Thread);

private:
  uint32_t sub(uint32_t Parent, uint32_t Function);

  const Trace &T;
  StringRef Root;
  CallTree &Tree;
  DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Subs; // parent, function
};

} // namespace

uint32_t TreeBuilder::sub(uint32_t Parent, uint32_t Function) {
  auto [At, New] = Subs.try_emplace({Parent, Function}, uint32_t(Tree.size()));
  if (New)
    Tree.push_back({Function, Parent, Parent ? Tree[Parent].Depth + 1 : 0});
  return At->second;
}

void TreeBuilder::addThread(const TraceThread &Thread) {
  constexpr uint32_t AboveRoot = UINT32_MAX;
  std::vector<uint64_t> Self = T.selfTimes(Thread);
  std::vector<uint32_t> Nodes; // by call
  for (size_t I = 0; I != Self.size(); ++I) {
    const TraceCall &C = Thread.Calls[I];
    uint32_t Outer =
        C.Parent == TraceCall::NoParent ? AboveRoot : Nodes[C.Parent];
    bool IsRoot = Root.empty() ? C.Parent == TraceCall::NoParent
                               : T.Functions[C.Function].Name == Root;
    if (Outer == AboveRoot && IsRoot)
      Outer = 0;
    Nodes.push_back(Outer == AboveRoot ? AboveRoot : sub(Outer, C.Function));
    if (Outer == AboveRoot)
      continue;
    CallNode &N = Tree[Nodes.back()];
    ++N.Calls;
    N.Total += C.Duration;
    N.Self += Self[I];
    if (C.Kind == TraceCall::Unfinished)
      ++(C.Open ? N.Open : N.CutOff);
  }
}

CallTree patchbay::callTree(const Trace &T, StringRef Root) {
  CallTree Tree;
  Tree.push_back({UINT32_MAX, 0, 0});
  TreeBuilder Builder(T, Root, Tree);
  for (const TraceThread &Thread : T.Threads)
    Builder.addThread(Thread);
  for (const CallNode &N : ArrayRef(Tree).drop_front())
    if (!N.Parent) {
      Tree[0].Calls += N.Calls;
      Tree[0].Total += N.Total;
    }
  return Tree;
}

std::vector<uint32_t> patchbay::inOrder(
    const CallTree &Tree,
    function_ref<bool(const CallNode &, const CallNode &)> Less) {
  // Those with one parent are side by side then, in the order wanted.
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
