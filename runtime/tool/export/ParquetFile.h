// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a table as Apache Parquet, as far as tables of events need it: columns
// without nesting, not compressed, text as indices into a dictionary. It only
// appends, so the output may be a pipe.
#ifndef PATCHBAY_TOOL_PARQUETFILE_H
#define PATCHBAY_TOOL_PARQUETFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace patchbay {

class ParquetFile {
public:
  enum TypeT {
    Int32,
    Int64,
    Time, // ns since 1970, UTC
    Text, // becomes UTF-8
  };
  struct Field {
    const char *Name;
    TypeT Type;
    bool Optional = false;
  };

  ParquetFile(llvm::ArrayRef<Field> Fields, llvm::raw_ostream &OS);
  /// The next cell of a row, from left to right.
  void add(int64_t Value);
  void add(llvm::StringRef Value);
  void addNull();
  void finish();

private:
  struct Column {
    Field Is;
    std::vector<uint64_t> Values;  // of text: in the dictionary
    std::vector<uint64_t> Defined; // 0 or 1 per row, if it is optional
    llvm::StringMap<uint32_t> Known;
    std::string Dictionary;
  };
  void write(llvm::StringRef Bytes);
  void nextCell();
  std::string writeColumn(Column &C);
  void writeRowGroup();

  std::vector<Column> Columns;
  llvm::raw_ostream &OS;
  uint64_t Written = 0;
  size_t Cell = 0;
  uint64_t Rows = 0;               // of the row group
  uint64_t AllRows = 0;            // of those before it
  std::vector<std::string> Groups; // their metadata
};

} // namespace patchbay

#endif
