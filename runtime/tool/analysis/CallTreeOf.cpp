// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trees around one function, made from the tree of all calls. The result is the
// same as that of a TreeBuilder with this root.
#include "CallTree.h"

using namespace llvm;
using namespace patchbay;

namespace {
class Maker {
public:
  Maker() { Tree.push_back({UINT32_MAX, 0, 0}); }
  uint32_t sub(uint32_t Parent, uint32_t Function) {
    auto [At, New] = Subs.try_emplace({Parent, Function}, uint32_t(Tree.size()));
    if (New)
      Tree.push_back({Function, Parent, Parent ? Tree[Parent].Depth + 1 : 0});
    return At->second;
  }
  void add(uint32_t To, const CallNode &N, bool InTotal) {
    CallNode &Sum = Tree[To];
    Sum.Calls += N.Calls;
    Sum.Total += InTotal ? N.Total : 0;
    Sum.Measured += InTotal ? N.Measured : 0;
    Sum.Self += N.Self;
    Sum.Open += N.Open;
    Sum.CutOff += N.CutOff;
    Sum.Entries += N.Entries;
  }
  CallTree finish() {
    for (const CallNode &N : ArrayRef(Tree).drop_front())
      if (!N.Parent) {
        Tree[0].Calls += N.Calls;
        Tree[0].Total += N.Total;
      }
    return std::move(Tree);
  }

private:
  CallTree Tree;
  DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Subs;
};
} // namespace

// For each node: is it within a node of the function?
static std::vector<bool> within(const CallTree &Tree, uint32_t Function) {
  std::vector<bool> Is(Tree.size());
  for (uint32_t I = 1; I != Tree.size(); ++I) {
    uint32_t P = Tree[I].Parent;
    Is[I] = P && (Is[P] || Tree[P].Function == Function);
  }
  return Is;
}

// Limit of recursion: the work would grow with the square of the depth.
static constexpr size_t MostCallers = 500;

CallTree patchbay::callersOf(const CallTree &Tree, uint32_t Function) {
  Maker Made;
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
  Maker Made;
  std::vector<uint32_t> Places(Tree.size());
  for (uint32_t I = 1; I != Tree.size(); ++I) {
    uint32_t Outer = Places[Tree[I].Parent];
    if (!Outer && Tree[I].Function != Function)
      continue;
    Places[I] = Made.sub(Outer, Tree[I].Function);
    Made.add(Places[I], Tree[I], /*InTotal=*/true);
  }
  return Made.finish();
}
