// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long calls took, to one part in 128, in a few kilobytes whatever their number: 64
// buckets of the same width between each power of two and the next, as in HdrHistogram.
#ifndef PATCHBAY_TOOL_SPREAD_H
#define PATCHBAY_TOOL_SPREAD_H

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
  /// What Part of all calls, 0 to 1, took at most: the middle of its bucket, as far
  /// as there were such calls. 0 of none.
  uint64_t quantile(double Part) const;
  /// Shows the buckets with calls, shortest first: the middle of each, and how many.
  void forEach(llvm::function_ref<void(uint64_t Ns, uint64_t Calls)> Show) const;

private:
  static constexpr unsigned ColumnBits = 6, Columns = 1u << ColumnBits;
  static std::pair<size_t, size_t> place(uint64_t Ns);
  static uint64_t middle(size_t Row, size_t Column);

  std::vector<std::vector<uint64_t>> Rows; // of a power of two each
  uint64_t Calls = 0, Shortest = UINT64_MAX, Longest = 0;
};

/// How likely two recordings differ by so much or more if all calls are of one kind: the
/// rank-sum test of Mann and Whitney (Ann. Math. Statist. 18, 1947), two-sided, by the
/// normal distribution, with the correction for values that are the same. Nothing if one
/// has so few calls that this says nothing.
std::optional<double> likelihood(const Spread &A, const Spread &B);

} // namespace patchbay

#endif
