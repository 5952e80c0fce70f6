// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of two recordings side by side.
#pragma once

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
  /// See likelihood(). Nothing if durations are unknown, or if there are too few calls.
  std::optional<double> likelihood() const {
    return patchbay::likelihood(Before.Durations, After.Durations);
  }
};

/// Functions are compared by name. If only one recording has a name, the name may be
/// special to that build. Then CommonName is used, and functions with the same CommonName
/// are summed up.
struct Comparison {
  Comparison(const ReportSide &Before, const ReportSide &After);
  std::vector<Compared> Functions;             // by name
  std::vector<uint32_t> OfBefore, OfAfter;     // indices here of each side's
                                               // functions
};

} // namespace patchbay
