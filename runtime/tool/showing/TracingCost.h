// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the cost of tracing a recording's calls, and messages about that cost. `record`
// and the verbs that read a recording print the messages, and the page shows them.
#pragma once

#include "reading/TracedNames.h"

namespace patchbay {

class TracingCost {
public:
  /// The events of Data must have been counted. Ignores data without a CPU time.
  void add(const DataFile &Data, TracedNames &Names);

  /// The share of the cost in the CPU time, from 0 to 1.
  double share() const { return CpuNs > 0 ? std::min(CostNs / CpuNs, 1.0) : 0; }
  /// "21.6 M calls, tracing took 1.6 of 2.3 s of CPU time (74 ns a call, +-4)";
  /// empty if unknown.
  std::string text() const;
  /// "try -N 'std::*' or --max-overhead 10%"; empty if the share is small.
  std::string advice() const;

  /// Callers do not report smaller shares.
  static constexpr double Noted = 0.05;

private:
  void sample(const DataFile &Data, TracedNames &Names);
  std::string busiest() const;

  uint64_t Calls = 0;
  double CostNs = 0, ErrorNs = 0, CpuNs = 0;
  std::map<std::string, uint64_t> Sampled; // number of calls, by plain name
};

} // namespace patchbay
