// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds up the waits of slow calls by function and cause (`record --why`).
#pragma once

#include "WhySlow.h"

namespace patchbay {

class SlowTotals : public CallSink {
public:
  explicit SlowTotals(Trace &T) : T(T), Why(T) {}
  void beginThread(const TraceThread &Of) override { Thread = &Of; }
  void begin(llvm::ArrayRef<TraceCall> Open, const DataValues *V) override;
  void end(llvm::ArrayRef<TraceCall> Open, size_t Depth,
           std::optional<uint64_t> Next) override;

  bool empty() const { return Of.empty(); }
  /// Prints a table of functions with their callers. The function with the longest total
  /// comes first.
  void print(llvm::raw_ostream &OS, unsigned Width) const;
  /// If the function had slow calls, prints an attribute in its JSON object.
  void print(llvm::json::OStream &J, uint32_t Function) const;

private:
  struct Sum {
    uint64_t Calls = 0, Ns = 0, OffNs = 0, PreemptedNs = 0;
    bool IsWhole = true, HasAllWaits = true;
    std::map<std::string, uint64_t> For, Callers; // ns by reason; calls by caller
  };

  void add(const TraceCall &C, const SlowReason &R);

  Trace &T;
  WhySlow Why;
  const TraceThread *Thread = nullptr;
  std::map<uint32_t, Sum> Of; // indexed by function
  // For each open slow call, outermost first: number of outer calls, and its data.
  std::vector<std::pair<size_t, DataValues>> Slow;
};

} // namespace patchbay
