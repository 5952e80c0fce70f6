// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the probable holder of the lock for which a call waited. A recording has only
// calls, and no locks. The probable holder is a call of another thread that ran during
// most of the wait, and ended when the wait ended. A call that also waited for a lock
// during that time is excluded.
#pragma once

#include "WhySlow.h"
#include "reading/CallStream.h"

namespace patchbay {

class LockHolders : public CallSink {
public:
  explicit LockHolders(WhySlow &Why) : Why(Why) {}
  /// The holder's call. Function is UINT32_MAX if none was found.
  struct Holder {
    uint32_t Function = UINT32_MAX;
    const TraceThread *Thread = nullptr;
    uint64_t Overlap = 0; // overlap with the wait, in ns
    uint32_t Depth = 0;
  };
  /// Searches for the holder of the lock for which the call waited longest. Returns the
  /// index for holder(). R: why the call was slow; without a wait for a lock there is no
  /// holder.
  size_t add(const TraceThread &Waiter, const std::optional<SlowReason> &R);
  const Holder &holder(size_t I) const { return Waits[I].By; }
  /// Are there waits? If not, calls need not be read.
  bool hasWaits() const { return Shortest != UINT64_MAX; }

  void beginThread(const TraceThread &Thread) override { Current = &Thread; }
  void begin(llvm::ArrayRef<TraceCall> Open, const DataValues *V) override;
  void end(llvm::ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override;

private:
  struct Wait {
    const TraceThread *Waiter = nullptr;
    uint64_t Begin = 0, End = 0; // by CLOCK_MONOTONIC; 0: there is no wait
    Holder By;
    uint64_t length() const { return End - Begin; }
    /// The maximum difference between the end of the holder's call and the end of the
    /// wait.
    uint64_t tolerance() const { return std::max<uint64_t>(length() / 20, 20000); }
  };
  void look(Wait &At, const TraceCall &C, uint64_t Slow);
  bool hasWaited(const Wait &At, uint64_t Slow);

  WhySlow &Why;
  std::vector<Wait> Waits;
  std::vector<uint64_t> SlowOf; // DataValues::Slow of each open call
  uint64_t Shortest = UINT64_MAX; // length of the shortest wait
  const TraceThread *Current = nullptr;
};

} // namespace patchbay
