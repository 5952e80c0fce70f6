// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints aligned columns. Removes control characters, so that names cannot move
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
  /// Shortens columns of text until lines fit into Width; 0: no limit. On
  /// standard output, titles and differences ("+1.5 us") are coloured.
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

/// The indentation for Depth levels: two spaces per level. Beyond 50, the limit
/// of ftrace, a number replaces further spaces: otherwise the output of a
/// recursion would grow with the square of its depth.
std::string indentation(size_t Depth);

/// "a 5, b 3 and 2 more": as many of Parts as fit into Room characters, but at
/// least the first. None is cut. With Room 0, Most of them.
std::string listed(llvm::ArrayRef<std::string> Parts, size_t Most, size_t Room = 0);

} // namespace patchbay
