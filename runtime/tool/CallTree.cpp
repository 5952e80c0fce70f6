// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CallTree.h"

using namespace llvm;
using namespace patchbay;

static void addThread(const Trace &T, const TraceThread &Thread, StringRef Root,
                      CallNode &Top) {
  std::vector<uint64_t> Self = T.selfTimes(Thread);
  // Where each call is in the tree; null if it is above the root.
  std::vector<CallNode *> Places;
  for (size_t I = 0; I != Self.size(); ++I) {
    const TraceCall &C = Thread.Calls[I];
    CallNode *Outer =
        C.Parent == TraceCall::NoParent ? nullptr : Places[C.Parent];
    bool IsRoot = Root.empty() ? C.Parent == TraceCall::NoParent
                               : T.Functions[C.Function].Name == Root;
    if (!Outer && IsRoot)
      Outer = &Top;
    CallNode *Place = Outer ? &Outer->Subs[C.Function] : nullptr;
    Places.push_back(Place);
    if (!Place)
      continue;
    ++Place->Calls;
    Place->Total += C.Duration;
    Place->Self += Self[I];
  }
}

CallNode patchbay::callTree(const Trace &T, StringRef Root) {
  CallNode Top;
  for (const TraceThread &Thread : T.Threads)
    addThread(T, Thread, Root, Top);
  for (const auto &[Function, Sub] : Top.Subs) {
    Top.Calls += Sub.Calls;
    Top.Total += Sub.Total;
  }
  return Top;
}
