// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of two recordings side by side.
#ifndef PATCHBAY_TOOL_COMPARISON_H
#define PATCHBAY_TOOL_COMPARISON_H

#include "Durations.h"

namespace patchbay {

/// A recording, and what its functions took, by index in its Functions.
struct ReportSide {
  const Trace &T;
  llvm::ArrayRef<FunctionDurations> Functions;
};

struct Compared {
  std::string Name;
  FunctionDurations Before, After;
  /// See likelihood(): of calls whose times nobody knows, or too few, nothing.
  std::optional<double> likelihood() const {
    return patchbay::likelihood(Before.Durations, After.Durations);
  }
};

/// Functions are compared by name. One that only one of them has may be of that build
/// alone: then it is CommonName, and those that share it are summed.
struct Comparison {
  Comparison(const ReportSide &Before, const ReportSide &After);
  std::vector<Compared> Functions;             // by name
  std::vector<uint32_t> OfBefore, OfAfter;     // where those of a side are here
};

} // namespace patchbay

#endif
