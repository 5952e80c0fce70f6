// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects recorded calls. A call keeps its depth and self time, whichever other
// calls are skipped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace patchbay {

struct CallFilter {
  /// In ns of CLOCK_MONOTONIC: selects calls that began at From or later, and before To.
  uint64_t From = 0, To = UINT64_MAX;
  /// In ns: selects calls of at least and at most these durations, with a known end.
  uint64_t Shortest = 0, Longest = UINT64_MAX;
  /// Globs as in isNamedBy(): selected functions, or all if empty; excluded functions;
  /// and functions that a call must be, or be nested in.
  std::vector<std::string> Functions, Others, Under;

  /// Selected calls among those that were read.
  uint64_t Found = 0;

  bool byTime() const { return From || To != UINT64_MAX; }
  bool byDuration() const { return Shortest || Longest != UINT64_MAX; }
  bool byName() const {
    return !Functions.empty() || !Others.empty() || !Under.empty();
  }
  bool isActive() const { return byTime() || byDuration() || byName(); }
};

} // namespace patchbay
