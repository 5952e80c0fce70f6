// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Histogram.h"
#include "Table.h"
#include "analysis/Buckets.h"
#include "analysis/Durations.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace patchbay;

static constexpr unsigned BarWidth = 40;

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
    // A bucket with calls has at least a short bar.
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
