// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Histogram.h"
#include "Durations.h"
#include "Table.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace llvm;
using namespace patchbay;

static constexpr unsigned BarWidth = 40;

void patchbay::addToBuckets(std::vector<uint64_t> &Buckets, double UnitsPerNs,
                            uint64_t Ns) {
  uint64_t Units = uint64_t(std::min(double(Ns) * UnitsPerNs, 9e18));
  size_t I = Units ? Log2_64(Units) : 0;
  if (Buckets.size() <= I)
    Buckets.resize(I + 1);
  ++Buckets[I];
}

uint64_t patchbay::bucketStart(double Unit, size_t I) {
  return I ? uint64_t(std::min(std::ldexp(Unit, int(I)) + 0.5, 9e18)) : 0;
}

void patchbay::printHistogram(StringRef Title, double Unit,
                              ArrayRef<uint64_t> Buckets, raw_ostream &OS) {
  uint64_t Most = 0;
  size_t First = Buckets.size(), Last = 0;
  for (size_t I = 0; I != Buckets.size(); ++I) {
    if (!Buckets[I])
      continue;
    First = std::min(First, I);
    Last = I;
    Most = std::max(Most, Buckets[I]);
  }
  OS << printable(Title) << '\n';
  Table T;
  for (StringRef Column : {"at least", "less than", "calls"})
    T.addColumn(Column, Table::Right);
  T.addColumn("", Table::Left);
  for (size_t I = First; Most && I <= Last; ++I) {
    // Each bucket with calls shows at least a short bar.
    unsigned Bar = unsigned(double(Buckets[I]) / double(Most) * BarWidth);
    if (Buckets[I] && !Bar)
      Bar = 1;
    T.addRow(
        {durationText(bucketStart(Unit, I)),
         durationText(bucketStart(Unit, I + 1)), utostr(Buckets[I]),
         "|" + std::string(Bar, '@') + std::string(BarWidth - Bar, ' ') + "|"});
  }
  T.print(OS);
}
