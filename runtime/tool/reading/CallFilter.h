// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects recorded calls. The depth and self time of a call do not depend on
// which other calls are selected.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace patchbay {

struct CallFilter {
  /// Selects calls that began at From or later, and before To, in ns of CLOCK_MONOTONIC.
  uint64_t From = 0, To = UINT64_MAX;
  /// Selects calls with a known end that took Shortest to Longest ns.
  uint64_t Shortest = 0, Longest = UINT64_MAX;
  /// Globs as in isNamedBy(). Functions: selected functions; empty: all. Others:
  /// excluded functions. Under: functions that a call must be, or be nested in.
  std::vector<std::string> Functions, Others, Under;

  /// Number of selected calls among those read so far.
  uint64_t Found = 0;

  bool byTime() const { return From || To != UINT64_MAX; }
  bool byDuration() const { return Shortest || Longest != UINT64_MAX; }
  bool byName() const {
    return !Functions.empty() || !Others.empty() || !Under.empty();
  }
  bool isActive() const { return byTime() || byDuration() || byName(); }
};

} // namespace patchbay
