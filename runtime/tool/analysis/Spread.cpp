// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Spread.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <map>

using namespace llvm;
using namespace patchbay;

// The first row has a bucket for each number below Columns. Row R begins at 2^(R - 1)
// times Columns.
std::pair<size_t, size_t> Spread::place(uint64_t Ns) {
  if (Ns < Columns)
    return {0, Ns};
  unsigned Row = Log2_64(Ns) - ColumnBits + 1;
  return {Row, (Ns >> (Row - 1)) - Columns};
}

uint64_t Spread::middle(size_t Row, size_t Column) {
  if (!Row)
    return Column;
  uint64_t Width = uint64_t(1) << (Row - 1);
  return ((Columns + Column) << (Row - 1)) + (Width - 1) / 2;
}

void Spread::forEach(function_ref<void(uint64_t, uint64_t)> Show) const {
  for (size_t R = 0; R != Rows.size(); ++R)
    for (size_t C = 0; C != Rows[R].size(); ++C)
      if (Rows[R][C])
        Show(middle(R, C), Rows[R][C]);
}

void Spread::add(const Spread &Other) {
  if (Rows.size() < Other.Rows.size())
    Rows.resize(Other.Rows.size());
  for (size_t R = 0; R != Other.Rows.size(); ++R) {
    if (Other.Rows[R].empty())
      continue;
    Rows[R].resize(Columns);
    for (size_t C = 0; C != Columns; ++C)
      Rows[R][C] += Other.Rows[R][C];
  }
  Calls += Other.Calls;
  Shortest = std::min(Shortest, Other.Shortest);
  Longest = std::max(Longest, Other.Longest);
}

uint64_t Spread::quantile(double Part) const {
  uint64_t Wanted = std::max<uint64_t>(std::ceil(Part * double(Calls)), 1);
  uint64_t Below = 0, Found = 0;
  forEach([&](uint64_t Ns, uint64_t N) {
    if (Below < Wanted)
      Found = Ns;
    Below += N;
  });
  return std::min(std::max(Found, Calls ? Shortest : 0), Longest);
}

// With fewer calls the sum of ranks is not normally distributed.
static constexpr uint64_t LeastCalls = 8;

std::optional<double> patchbay::likelihood(const Spread &A, const Spread &B) {
  if (std::min(A.calls(), B.calls()) < LeastCalls)
    return std::nullopt;
  std::map<uint64_t, std::pair<double, double>> Both;
  A.forEach([&](uint64_t Ns, uint64_t N) { Both[Ns].first = N; });
  B.forEach([&](uint64_t Ns, uint64_t N) { Both[Ns].second = N; });
  double NA = A.calls(), NB = B.calls(), N = NA + NB;
  double Below = 0, RanksOfA = 0, Same = 0;
  for (const auto &[Ns, Counts] : Both) {
    double Here = Counts.first + Counts.second;
    RanksOfA += Counts.first * (Below + (Here + 1) / 2);
    Same += Here * Here * Here - Here;
    Below += Here;
  }
  double U = RanksOfA - NA * (NA + 1) / 2;
  double Variance = NA * NB / 12 * (N + 1 - Same / (N * (N - 1)));
  if (Variance <= 0)
    return 1;
  double Distance = std::max(std::abs(U - NA * NB / 2) - 0.5, 0.0);
  return std::erfc(Distance / std::sqrt(Variance) / std::sqrt(2.0));
}
