// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of two recordings side by side.
#ifndef PATCHBAY_TOOL_COMPARISON_H
#define PATCHBAY_TOOL_COMPARISON_H

#include "Durations.h"

namespace patchbay {

/// A recording, and the durations of its functions, by index in its Functions.
struct ReportSide {
  const Trace &T;
  llvm::ArrayRef<FunctionDurations> Functions;
};

struct Compared {
  std::string Name;
  FunctionDurations Before, After;
  /// See likelihood(). Nothing for calls without known times, or if there are
  /// too few.
  std::optional<double> likelihood() const {
    return patchbay::likelihood(Before.Durations, After.Durations);
  }
};

/// Functions are compared by name. A name that only one recording has may
/// belong to that build only. Then CommonName is used, and functions that share
/// it are summed.
struct Comparison {
  Comparison(const ReportSide &Before, const ReportSide &After);
  std::vector<Compared> Functions;             // by name
  std::vector<uint32_t> OfBefore, OfAfter;     // indices here of each side's
                                               // functions
};

} // namespace patchbay

#endif
