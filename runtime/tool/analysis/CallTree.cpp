// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CallTree.h"
#include <numeric>

using namespace llvm;
using namespace patchbay;

// Marks a call outside of the root.
static constexpr uint32_t AboveRoot = UINT32_MAX;

uint32_t TreeMaker::sub(uint32_t Parent, uint32_t Function) {
  auto [At, New] = Subs.try_emplace({Parent, Function}, uint32_t(Tree.size()));
  if (New)
    Tree.push_back({Function, Parent, Parent ? Tree[Parent].Depth + 1 : 0});
  return At->second;
}

void TreeMaker::add(uint32_t Node, const CallNode &From, bool InTotal) {
  CallNode &N = Tree[Node];
  N.Calls += From.Calls;
  N.Total += InTotal ? From.Total : 0;
  N.Measured += InTotal ? From.Measured : 0;
  N.Self += From.Self;
  N.Open += From.Open;
  N.CutOff += From.CutOff;
  N.Entries += From.Entries;
}

CallTree TreeMaker::finish() {
  for (const CallNode &N : ArrayRef(Tree).drop_front())
    if (!N.Parent) {
      Tree[0].Calls += N.Calls;
      Tree[0].Total += N.Total;
    }
  return std::move(Tree);
}

static CallNode nodeOf(const TraceCall &C) {
  CallNode N{C.Function, 0, 0, /*Calls=*/1, C.Net, C.netSelf()};
  N.Measured = C.measured();
  if (C.Kind == TraceCall::Unfinished)
    ++(C.Open ? N.Open : N.CutOff);
  N.Entries = C.Kind == TraceCall::Entry;
  return N;
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
  Nodes.push_back(Outer == AboveRoot ? AboveRoot : Tree.sub(Outer, Function));
}

void TreeBuilder::end(ArrayRef<TraceCall> Open, size_t Depth,
                      std::optional<uint64_t>) {
  for (size_t I = Open.size(); I != Depth; --I) {
    const TraceCall &C = Open[I - 1];
    if (Callers && isRoot(C.Function))
      addCallers(Open.take_front(I));
    else if (!Callers && Nodes[I - 1] != AboveRoot)
      Tree.add(Nodes[I - 1], nodeOf(C));
  }
}

// Adds the callers of the innermost open call, innermost caller first.
void TreeBuilder::addCallers(ArrayRef<TraceCall> Open) {
  const TraceCall &C = Open.back();
  const CallNode Of = nodeOf(C);
  uint32_t Node = 0;
  for (const TraceCall &Outer : llvm::reverse(Open)) {
    Node = Tree.sub(Node, Outer.Function);
    Tree.add(Node, Of, !C.Recursive);
  }
}

std::vector<uint32_t> patchbay::inOrder(size_t Size,
                                        function_ref<uint32_t(uint32_t)> ParentOf,
                                        function_ref<bool(uint32_t, uint32_t)> Less) {
  // Sort nodes by parent, and nodes of one parent by Less.
  std::vector<uint32_t> Siblings(Size - 1);
  std::iota(Siblings.begin(), Siblings.end(), 1);
  llvm::sort(Siblings, [&](uint32_t A, uint32_t B) {
    return ParentOf(A) != ParentOf(B) ? ParentOf(A) < ParentOf(B) : Less(A, B);
  });
  std::vector<uint32_t> First(Size + 1), Order, Next;
  for (uint32_t I : Siblings)
    ++First[ParentOf(I) + 1];
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

std::vector<uint32_t> patchbay::inOrder(
    const CallTree &Tree, function_ref<bool(const CallNode &, const CallNode &)> Less) {
  return inOrder(Tree.size(), [&](uint32_t I) { return Tree[I].Parent; },
                 [&](uint32_t A, uint32_t B) { return Less(Tree[A], Tree[B]); });
}

//===----------------------------------------------------------------------===//
// Callers and callees of a function
//===----------------------------------------------------------------------===//

// For each node: is an ancestor a node of the function?
static std::vector<bool> within(const CallTree &Tree, uint32_t Function) {
  std::vector<bool> Is(Tree.size());
  for (uint32_t I = 1; I != Tree.size(); ++I) {
    uint32_t P = Tree[I].Parent;
    Is[I] = P && (Is[P] || Tree[P].Function == Function);
  }
  return Is;
}

// Limits the callers of each node, since the work for a recursion grows with the square of its
// depth.
static constexpr size_t MostCallers = 500;

CallTree patchbay::callersOf(const CallTree &Tree, uint32_t Function) {
  TreeMaker Made;
  std::vector<bool> IsWithin = within(Tree, Function);
  for (uint32_t I = 1; I != Tree.size(); ++I) {
    if (Tree[I].Function != Function)
      continue;
    uint32_t To = 0;
    size_t Far = 0;
    for (uint32_t P = I; P && Far <= MostCallers; P = Tree[P].Parent, ++Far) {
      To = Made.sub(To, Tree[P].Function);
      Made.add(To, Tree[I], !IsWithin[I]);
    }
  }
  return Made.finish();
}

CallTree patchbay::calleesOf(const CallTree &Tree, uint32_t Function) {
  TreeMaker Made;
  std::vector<uint32_t> Places(Tree.size());
  for (uint32_t I = 1; I != Tree.size(); ++I) {
    uint32_t Outer = Places[Tree[I].Parent];
    if (!Outer && Tree[I].Function != Function)
      continue;
    Places[I] = Made.sub(Outer, Tree[I].Function);
    Made.add(Places[I], Tree[I]);
  }
  return Made.finish();
}
