// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Durations of calls, with an error of at most 1/128, in a few kilobytes for any number
// of calls. As in HdrHistogram, there are 64 buckets of the same width between two powers
// of two.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace patchbay {

class Spread {
public:
  void add(uint64_t Ns) {
    auto [Row, Column] = place(Ns);
    if (Rows.size() <= Row)
      Rows.resize(Row + 1);
    if (Rows[Row].empty())
      Rows[Row].resize(Columns);
    ++Rows[Row][Column];
    ++Calls;
    Shortest = std::min(Shortest, Ns);
    Longest = std::max(Longest, Ns);
  }
  void add(const Spread &Other);
  uint64_t calls() const { return Calls; }
  /// The duration that the given part (0 to 1) of all calls did not exceed: the
  /// middle of its bucket, limited to durations that occurred. 0 without calls.
  uint64_t quantile(double Part) const;
  /// Calls Show for each bucket with calls, shortest first. Arguments: the
  /// middle of the bucket, and the number of calls.
  void forEach(llvm::function_ref<void(uint64_t Ns, uint64_t Calls)> Show) const;

private:
  static constexpr unsigned ColumnBits = 6, Columns = 1u << ColumnBits;
  static std::pair<size_t, size_t> place(uint64_t Ns);
  static uint64_t middle(size_t Row, size_t Column);

  std::vector<std::vector<uint64_t>> Rows; // one row per power of two
  uint64_t Calls = 0, Shortest = UINT64_MAX, Longest = 0;
};

/// The probability that two recordings differ at least this much although all their calls
/// have the same distribution. Uses the two-sided rank-sum test of Mann and Whitney (Ann.
/// Math. Statist. 18, 1947), by the normal distribution, with the correction for ties.
/// std::nullopt if a recording has too few calls.
std::optional<double> likelihood(const Spread &A, const Spread &B);

} // namespace patchbay
