// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows the recorded reasons for a slow call (`record --why`): the thread's
// waits, and the callers.
#pragma once

#include "names/KernelNames.h"
#include "reading/Trace.h"
#include "llvm/Support/JSON.h"

namespace patchbay {

struct SlowReason {
  struct Wait {
    uint64_t BeginNs, Ns;
    bool IsPreempted;
    std::string For; // cause: "futex (futex_do_wait)"; empty: unknown
    std::string At;  // place in the process:
                     // "__futex_abstimed_wait_common64+0xb7"
    std::vector<std::string> Kernel; // functions in the kernel, innermost first
  };
  uint64_t Ns, OffNs, PreemptedNs, NrWaits;
  bool IsMeasured;           // does Ns include the cost of tracing? see
                             // WhySlow::of()
  bool IsWhole;              // is OffNs exact? otherwise it is a lower bound
  std::vector<Wait> Waits;   // recorded waits, longest first
  std::vector<std::string> Callers; // stack trace: the function's caller first
  std::string CallersEnd;    // why further callers are missing; empty if there
                             // are none

  bool hasAllWaits() const { return NrWaits <= Waits.size(); }

  /// "off-CPU for 9.812 ms of 10.204 ms: futex (...) 9.712 ms, ...": the longest wait,
  /// and as many others as fit into Room characters; with Room 0, three.
  std::string summary(size_t Room = 0) const;
  /// Prints attributes in a call's JSON object.
  void print(llvm::json::OStream &J) const;
};

class WhySlow {
public:
  explicit WhySlow(Trace &T);
  ~WhySlow();
  /// V: values of the call. Returns std::nullopt if V is nullptr or has no slow
  /// call. Cost: TraceCall::Cost, if the call's time is shown without it. If
  /// the thread was off-CPU during part of that, the result has the measured
  /// time.
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

/// Which data about slow calls is available, and why the rest is missing:
/// "perf_event_open(2) was refused: ...".
std::string whatIsKnown(const DataWhy &Why);

} // namespace patchbay
