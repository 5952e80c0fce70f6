// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of two recordings side by side.
#pragma once

#include "Durations.h"

namespace patchbay {

/// A recording, and the durations of its functions by index in
/// Trace::Functions.
struct ReportSide {
  const Trace &T;
  llvm::ArrayRef<FunctionDurations> Functions;
};

struct Compared {
  std::string Name;
  FunctionDurations Before, After;
  /// See likelihood(). std::nullopt if durations are unknown, or if there are too few
  /// calls.
  std::optional<double> likelihood() const {
    return patchbay::likelihood(Before.Durations, After.Durations);
  }
};

/// Compares functions by name. A name that only one recording has may be special to that
/// build: then CommonName is compared, and functions with the same CommonName are summed
/// up.
struct Comparison {
  Comparison(const ReportSide &Before, const ReportSide &After);
  std::vector<Compared> Functions;             // sorted by name
  std::vector<uint32_t> OfBefore, OfAfter;     // index in Functions of each
                                               // function of Before and After
};

} // namespace patchbay
