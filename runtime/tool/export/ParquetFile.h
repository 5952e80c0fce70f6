// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a table as Apache Parquet, with the features that tables of events need: flat columns;
// numbers as differences to the previous row; strings as indices into a dictionary; pages that
// are compressed if LLVM was built with the compression library. Only appends to the output,
// which may be a pipe.
#pragma once

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
    Text, // a string, converted to UTF-8
  };
  struct Field {
    const char *Name;
    TypeT Type;
    bool Optional = false;
  };

  ParquetFile(llvm::ArrayRef<Field> Fields, llvm::raw_ostream &OS);
  /// Adds the next cell of a row, from left to right.
  void add(int64_t Value);
  void add(llvm::StringRef Value);
  void addNull();
  /// Number of rows in memory, which form the current row group.
  uint64_t pending() const { return Rows; }
  /// Ends the row group early. Must be called between two rows.
  void flush();
  void finish();

private:
  struct Column {
    Field Is;
    std::vector<uint64_t> Values;  // for strings: indices into the dictionary
    std::vector<uint64_t> Defined; // 0 or 1 for each row of an optional column
    llvm::StringMap<uint32_t> Known;
    std::string Dictionary;
  };
  void write(llvm::StringRef Bytes);
  void nextCell();
  void writePage(llvm::StringRef Body, int32_t Type, unsigned Field,
                 const class CompactThrift &Description);
  std::string writeColumn(Column &C);

  std::vector<Column> Columns;
  llvm::raw_ostream &OS;
  uint64_t Written = 0, Uncompressed = 0; // bytes after and before compression
  size_t Cell = 0;
  uint64_t Rows = 0;               // rows in the current row group
  uint64_t AllRows = 0;            // in earlier row groups
  std::vector<std::string> Groups; // metadata of the row groups
};

} // namespace patchbay
