// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the functions of two recordings.
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
  /// See likelihood(). std::nullopt if durations are unknown, or with too few calls.
  std::optional<double> likelihood() const {
    return patchbay::likelihood(Before.Durations, After.Durations);
  }
};

/// Compares functions by name. For a name that only one recording has, compares CommonName,
/// since the name may have a suffix that differs between builds. Adds up functions with the same
/// CommonName.
struct Comparison {
  Comparison(const ReportSide &Before, const ReportSide &After);
  std::vector<Compared> Functions;             // sorted by name
  std::vector<uint32_t> OfBefore, OfAfter;     // by function of Before or After: index in
                                               // Functions
};

} // namespace patchbay
