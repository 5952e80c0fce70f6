// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ChosenCalls.h"

using namespace llvm;
using namespace patchbay;

void ChosenCalls::beginThread(const TraceThread &Thread) {
  for (CallSink *S : Sinks)
    S->beginThread(Thread);
}

void ChosenCalls::begin(ArrayRef<TraceCall> Open, const DataValues *Values) {
  const TraceCall &C = Open.back();
  if (!C.Chosen)
    return;
  if (OpenOf.size() <= C.Function)
    OpenOf.resize(C.Function + 1);
  Chosen.push_back(C);
  Chosen.back().Recursive = OpenOf[C.Function]++ != 0;
  Places.push_back(Open.size() - 1);
  for (CallSink *S : Sinks)
    S->begin(Chosen, Values);
}

void ChosenCalls::end(ArrayRef<TraceCall> Open, size_t Depth,
                      std::optional<uint64_t> Next) {
  size_t Left = Chosen.size();
  for (; Left && Places[Left - 1] >= Depth; --Left) {
    TraceCall &C = Chosen[Left - 1];
    bool Recursive = C.Recursive;
    C = Open[Places[Left - 1]];
    C.Recursive = Recursive;
    --OpenOf[C.Function];
  }
  if (Left == Chosen.size() && Next)
    return;
  for (CallSink *S : Sinks)
    S->end(Chosen, Left, Next);
  Chosen.resize(Left);
  Places.resize(Left);
}

void ChosenCalls::endThread(const TraceThread &Thread) {
  for (CallSink *S : Sinks)
    S->endThread(Thread);
}
