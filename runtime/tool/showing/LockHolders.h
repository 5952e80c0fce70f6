// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out what other threads did while a call waited for a lock. A recording has no
// locks, only calls. So the likely holder is a call of another thread that ended when the
// wait ended, and ran during most of it. A call that itself waited for a lock meanwhile
// is not the holder.
#pragma once

#include "WhySlow.h"
#include "reading/CallStream.h"

namespace patchbay {

class LockHolders : public CallSink {
public:
  explicit LockHolders(WhySlow &Why) : Why(Why) {}
  /// The call of another thread; Function is UINT32_MAX if none was found.
  struct Holder {
    uint32_t Function = UINT32_MAX;
    const TraceThread *Thread = nullptr;
    uint64_t Overlap = 0; // with the wait, in ns
    uint32_t Depth = 0;
  };
  /// Looks for the holder of the lock that the call waited for longest. Returns its index
  /// in holder(). R: of the call; a call without such a wait has no holder.
  size_t add(const TraceThread &Waiter, const std::optional<SlowReason> &R);
  const Holder &holder(size_t I) const { return Waits[I].By; }
  /// Is there a wait? If not, the calls need not be read.
  bool hasWaits() const { return Shortest != UINT64_MAX; }

  void beginThread(const TraceThread &Thread) override { Current = &Thread; }
  void begin(llvm::ArrayRef<TraceCall> Open, const DataValues *V) override;
  void end(llvm::ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override;

private:
  struct Wait {
    const TraceThread *Waiter = nullptr;
    uint64_t Begin = 0, End = 0; // CLOCK_MONOTONIC; 0: none
    Holder By;
    uint64_t length() const { return End - Begin; }
    /// The holder's call may end this long before or after the wait does.
    uint64_t tolerance() const { return std::max<uint64_t>(length() / 20, 20000); }
  };
  void look(Wait &At, const TraceCall &C, uint64_t Slow);
  bool hasWaited(const Wait &At, uint64_t Slow);

  WhySlow &Why;
  std::vector<Wait> Waits;
  std::vector<uint64_t> SlowOf; // DataValues::Slow of open calls
  uint64_t Shortest = UINT64_MAX; // length of a wait
  const TraceThread *Current = nullptr;
};

} // namespace patchbay
