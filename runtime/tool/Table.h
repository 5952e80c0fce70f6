// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns that line up, and names that cannot move the cursor.
#ifndef PATCHBAY_TOOL_TABLE_H
#define PATCHBAY_TOOL_TABLE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace patchbay {

class Table {
public:
  enum Alignment { Left, Right };
  void addColumn(llvm::StringRef Title, Alignment Align);
  void addRow(std::vector<std::string> Cells);
  void print(llvm::raw_ostream &OS) const;

private:
  struct Column {
    Alignment Align;
    size_t Width = 0;
  };
  std::vector<Column> Columns;
  std::vector<std::vector<std::string>> Rows = {{}};
};

/// Text from a file, fit for a terminal: control characters become '?'.
std::string printable(llvm::StringRef Text);

} // namespace patchbay

#endif
