// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of the recorded calls are looked at. What is known of a call stays as it is,
// whatever others are left out: its depth, and the time that is its own.
#ifndef PATCHBAY_TOOL_CALLFILTER_H
#define PATCHBAY_TOOL_CALLFILTER_H

#include <cstdint>
#include <string>
#include <vector>

namespace patchbay {

struct CallFilter {
  /// In ns of CLOCK_MONOTONIC: calls that began from From on, but before To.
  uint64_t From = 0, To = UINT64_MAX;
  /// In ns: calls that were seen to end, and took so long.
  uint64_t Shortest = 0, Longest = UINT64_MAX;
  /// Globs, as of isNamedBy(): of which functions, all if there are none; of which
  /// not; and calls of which functions they are within, or are themselves.
  std::vector<std::string> Functions, Others, Under;

  /// How many were chosen of those that were read.
  uint64_t Found = 0;

  bool byTime() const { return From || To != UINT64_MAX; }
  bool byDuration() const { return Shortest || Longest != UINT64_MAX; }
  bool byName() const {
    return !Functions.empty() || !Others.empty() || !Under.empty();
  }
  bool isActive() const { return byTime() || byDuration() || byName(); }
};

} // namespace patchbay

#endif
