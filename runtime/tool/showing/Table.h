// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints aligned columns. Removes control characters, since a name could otherwise move
// the cursor.
#pragma once

#include "support/PlainText.h"
#include "support/Terminal.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

namespace patchbay {

class Table {
public:
  /// Whole: left-aligned, not shortened. Names: left-aligned function names,
  /// shortened by names/ShortNames.h.
  enum Alignment { Left, Right, Whole, Names };
  void addColumn(llvm::StringRef Title, Alignment Align);
  void addRow(std::vector<std::string> Cells);
  /// A cell for a column of Names, with text before and after the name.
  static std::string nameCell(llvm::StringRef Before, llvm::StringRef Name,
                              llvm::StringRef Behind);
  /// Shortens columns of text until lines fit into Width; 0: no limit. Colours titles and
  /// differences ("+1.5 us") on standard output.
  void print(llvm::raw_ostream &OS, unsigned Width = 0) const;

private:
  struct Column {
    Alignment Align;
    size_t Width = 0;
  };
  using Cells = std::vector<std::vector<std::string>>;
  std::vector<size_t> widths(const Cells &Of) const;
  std::vector<size_t> limits(const Cells &Of, unsigned Width) const;
  void fitNames(Cells &Of, unsigned Width) const;

  std::vector<Column> Columns;
  Cells Rows = {{}};
};

/// The indentation for Depth levels: two spaces per level up to 50 levels, ftrace's limit.
/// A number replaces further spaces, so that the output of a recursion does not grow with
/// the square of its depth.
std::string indentation(size_t Depth);

/// "a 5, b 3 and 2 more": as many whole Parts as fit into Room characters, but at least
/// one. Room 0: Most parts.
std::string listed(llvm::ArrayRef<std::string> Parts, size_t Most, size_t Room = 0);

} // namespace patchbay
