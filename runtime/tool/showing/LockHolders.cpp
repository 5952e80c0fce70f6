// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LockHolders.h"

using namespace llvm;
using namespace patchbay;

// Threads wait for locks in futex(2). If functions of the kernel are unknown, use those
// of the C library.
static bool isForLock(const SlowReason::Wait &W) {
  StringRef At = W.At;
  return !W.IsPreempted &&
         (StringRef(W.For).starts_with("futex") ||
          (W.For.empty() && (At.contains("futex") || At.contains("lll_lock_wait"))));
}

size_t LockHolders::add(const TraceThread &Waiter, const std::optional<SlowReason> &R) {
  Wait To;
  To.Waiter = &Waiter;
  if (R)
    if (auto W = llvm::find_if(R->Waits, isForLock); W != R->Waits.end() && W->Ns) {
      To.Begin = W->BeginNs;
      To.End = SaturatingAdd(W->BeginNs, W->Ns);
      Shortest = std::min(Shortest, To.length());
    }
  Waits.push_back(To);
  return Waits.size() - 1;
}

void LockHolders::begin(ArrayRef<TraceCall> Open, const DataValues *V) {
  SlowOf.resize(Open.size());
  SlowOf.back() = V ? V->Slow : 0;
}

// Did this slow call itself wait for locks during most of At? If so, it probably waited
// for the same lock.
bool LockHolders::hasWaited(const Wait &At, uint64_t Slow) {
  DataValues V;
  V.Slow = Slow;
  uint64_t Ns = 0;
  if (auto R = Why.of(*Current, &V))
    for (const SlowReason::Wait &W : R->Waits)
      if (isForLock(W)) {
        const uint64_t Begin = std::max(W.BeginNs, At.Begin);
        Ns += std::max(std::min(SaturatingAdd(W.BeginNs, W.Ns), At.End), Begin) - Begin;
      }
  return Ns >= At.length() / 2;
}

// Prefers the inner of two nested calls that fit equally well: outer calls belong to
// the thread's main loop.
void LockHolders::look(Wait &At, const TraceCall &C, uint64_t Slow) {
  const uint64_t Slack = At.tolerance(), End = C.end();
  if (!At.length() || Current == At.Waiter || Current->Process != At.Waiter->Process ||
      End + Slack < At.End || End > SaturatingAdd(At.End, Slack))
    return;
  const uint64_t Start = std::max(C.Start, At.Begin), Stop = std::min(End, At.End);
  const uint64_t Overlap = Stop - std::min(Start, Stop);
  if (Overlap < At.length() / 2 || (Slow && hasWaited(At, Slow)))
    return;
  Holder &By = At.By;
  bool IsDeeper = By.Thread == Current && C.Depth > By.Depth;
  if (Overlap > By.Overlap + Slack || !By.Thread ||
      (IsDeeper && Overlap + Slack >= By.Overlap))
    By = {C.Function, Current, Overlap, C.Depth};
}

void LockHolders::end(ArrayRef<TraceCall> Open, size_t Depth, std::optional<uint64_t>) {
  for (; Depth != Open.size(); ++Depth)
    if (Open[Depth].elapsed() >= Shortest / 2)
      for (Wait &At : Waits)
        look(At, Open[Depth], SlowOf[Depth]);
}
