// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a table as Apache Parquet, as far as tables of events need it: columns
// without nesting, numbers as differences to the row before, text as indices into a
// dictionary; compressed, if LLVM was built with what that takes. It only appends, so
// the output may be a pipe.
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
  /// How many of the rows are in memory: those of the row group that is not full yet.
  uint64_t pending() const { return Rows; }
  /// Ends the row group, which is then as small as it is. Between two rows.
  void flush();
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
  void writePage(llvm::StringRef Body, int32_t Type, unsigned Field,
                 const class CompactThrift &Description);
  std::string writeColumn(Column &C);

  std::vector<Column> Columns;
  llvm::raw_ostream &OS;
  uint64_t Written = 0, Uncompressed = 0; // bytes, and what they would be then
  size_t Cell = 0;
  uint64_t Rows = 0;               // of the row group
  uint64_t AllRows = 0;            // of those before it
  std::vector<std::string> Groups; // their metadata
};

} // namespace patchbay

#endif
