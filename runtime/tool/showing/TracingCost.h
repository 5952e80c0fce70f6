// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of tracing a recording's calls, and the messages about it. `record`
// prints them when the program has ended. Each verb that reads a recording
// prints them, too, and the page shows them.
#pragma once

#include "reading/TracedNames.h"

namespace patchbay {

class TracingCost {
public:
  /// Events of Data must have been counted. Ignores data without a CPU time.
  void add(const DataFile &Data, TracedNames &Names);

  /// The share of the cost in the CPU time, from 0 to 1.
  double share() const { return CpuNs > 0 ? std::min(CostNs / CpuNs, 1.0) : 0; }
  /// "21.6 M calls, tracing took 1.6 of 2.3 s of CPU time (74 ns a call, +-4)";
  /// empty if unknown.
  std::string text() const;
  /// "try -N 'std::*' or --max-overhead 10%"; empty if the share is small.
  std::string advice() const;

  /// Smaller shares are not reported.
  static constexpr double Noted = 0.05;

private:
  void sample(const DataFile &Data, TracedNames &Names);
  std::string busiest() const;

  uint64_t Calls = 0;
  double CostNs = 0, ErrorNs = 0, CpuNs = 0;
  std::map<std::string, uint64_t> Sampled; // number of calls, by plain name
};

} // namespace patchbay
