// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Table.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace llvm;
using namespace patchbay;

// A C++ name can be hundreds of characters long. Such a cell pushes the rest of
// its own line, instead of every line, to the right.
static constexpr size_t MaxWidth = 48;

void Table::addColumn(StringRef Title, Alignment Align) {
  Columns.push_back({Align});
  Rows.front().push_back(Title.str());
}

void Table::addRow(std::vector<std::string> Cells) {
  Rows.push_back(std::move(Cells));
}

void Table::print(raw_ostream &OS) const {
  std::vector<Column> Sized = Columns;
  for (const auto &Row : Rows)
    for (size_t I = 0; I != Sized.size(); ++I)
      if (Row[I].size() <= MaxWidth)
        Sized[I].Width = std::max(Sized[I].Width, Row[I].size());

  for (const auto &Row : Rows) {
    for (size_t I = 0; I != Sized.size(); ++I) {
      size_t Pad = Sized[I].Width - std::min(Row[I].size(), Sized[I].Width);
      bool Last = I + 1 == Sized.size();
      if (Sized[I].Align == Right)
        OS.indent(Pad);
      OS << Row[I];
      if (Sized[I].Align == Left && !Last)
        OS.indent(Pad);
      OS << (Last ? "\n" : "  ");
    }
  }
}

std::string patchbay::printable(StringRef Text) {
  std::string Result = Text.str();
  for (char &C : Result)
    if (static_cast<unsigned char>(C) < 0x20 || C == 0x7f)
      C = '?';
  return Result;
}
