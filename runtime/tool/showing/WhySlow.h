// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows why a call was slow (`record --why`): the thread's waits, and the callers.
#pragma once

#include "names/SymbolFiles.h"
#include "reading/CallStream.h"

namespace patchbay {

struct SlowReason {
  struct Wait {
    uint64_t BeginNs, Ns;
    bool IsPreempted;
    std::string For; // cause: "futex (futex_do_wait)"; empty: unknown
    std::string At;  // location in the process:
                     // "__futex_abstimed_wait_common64+0xb7"
    std::vector<std::string> Kernel; // functions in the kernel, innermost first
  };
  uint64_t Ns, OffNs, PreemptedNs, NrWaits;
  bool IsMeasured;           // see WhySlow::of()
  bool IsWhole;              // is OffNs exact? false: OffNs is a lower bound
  std::vector<Wait> Waits;   // recorded waits, longest first
  std::vector<std::string> Callers; // stack trace: the function's caller first
  std::string CallersEnd;    // why callers are missing

  bool hasAllWaits() const { return NrWaits <= Waits.size(); }

  /// "off-CPU for 9.812 ms of 10.204 ms: futex (...) 9.712 ms, ...": the longest wait, and
  /// as many further waits as fit into Room characters; Room 0: up to three waits.
  std::string summary(size_t Room = 0) const;
  /// Adds attributes to the JSON object of the call.
  void print(llvm::json::OStream &J) const;
};

class WhySlow {
public:
  explicit WhySlow(Trace &T);
  ~WhySlow();
  /// V: values of the call. Returns std::nullopt if V is nullptr or has no slow call. Cost:
  /// TraceCall::Cost if the call's time is shown without that cost. If the thread was
  /// off-CPU during the cost, the result has the measured time (IsMeasured).
  std::optional<SlowReason> of(const TraceThread &Thread, const DataValues *V,
                               uint64_t Cost = 0);

private:
  class Stack;
  std::string place(const DataFile &Data, uint32_t Maps, uint64_t Address);
  void addCallers(const DataFile &Data, const DataSlow &S, SlowReason &To);

  Trace &T;
  KernelNames Kernel;
  struct Files;
  std::unique_ptr<Files> Opened;
};

/// Says which data about slow calls is available, and why further data is missing:
/// "perf_event_open(2) was refused: ...".
std::string whatIsKnown(const DataWhy &Why);

/// Guesses which call held the lock for which a call waited, since a recording has no
/// locks. The probable holder is a call of another thread that ran during most of the wait,
/// ended when the wait ended, and did not wait for a lock itself.
class LockHolders : public CallSink {
public:
  explicit LockHolders(WhySlow &Why) : Why(Why) {}
  /// The holder's call. Function is UINT32_MAX if no holder was found.
  struct Holder {
    uint32_t Function = UINT32_MAX;
    const TraceThread *Thread = nullptr;
    uint64_t Overlap = 0; // overlap with the wait, in ns
    uint32_t Depth = 0;
  };
  /// Requests the holder of the lock for which the call waited longest. R: the reason why
  /// the call was slow. Returns an index for holder().
  size_t add(const TraceThread &Waiter, const std::optional<SlowReason> &R);
  const Holder &holder(size_t I) const { return Waits[I].By; }
  /// Was any holder requested? Otherwise the caller need not read calls.
  bool hasWaits() const { return Shortest != UINT64_MAX; }

  void beginThread(const TraceThread &Thread) override { Current = &Thread; }
  void begin(llvm::ArrayRef<TraceCall> Open, const DataValues *V) override;
  void end(llvm::ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override;

private:
  struct Wait {
    const TraceThread *Waiter = nullptr;
    uint64_t Begin = 0, End = 0; // by CLOCK_MONOTONIC; 0: no wait for a lock
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
