// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores many recordings as one table: Parquet files in a tree of directories. The names of
// directories are columns, as in Hive's partitions, which all engines read:
//
//     host=web-1/day=2026-03-01/build_id=0123abcd/START-PID.parquet
//
// Each file belongs to one process, and gets its final name when it is complete. So the tree
// can be read or copied to an object store while files are added.
#pragma once

#include "ParquetFile.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <set>

namespace patchbay {

class ParquetTree {
public:
  /// Fields: the columns of the files, without the columns that are directory names.
  ParquetTree(llvm::StringRef Dir, llvm::ArrayRef<ParquetFile::Field> Fields);
  /// Removes unfinished files.
  ~ParquetTree();
  /// Creates the directory, unless it exists.
  llvm::Error create();

  /// Begins a process: rows up to endProcess() belong to it. Start: in ns since 1970.
  void beginProcess(llvm::StringRef Host, uint64_t Start, uint32_t Pid);
  /// Gives the process's files their final names. The files replace the files of an earlier dump
  /// of the same process, unless the process has no rows now.
  void endProcess();
  /// The file for the next row; nullptr after an error. Day: days since 1970.
  ParquetFile *at(int64_t Day, llvm::StringRef BuildId);
  uint64_t files() const { return Files; }
  /// The first error. Writing stops at the first error.
  llvm::Error error() const;

private:
  struct Part;
  using Key = std::pair<int64_t, std::string>;
  Part *open(const Key &Of);
  void finishParts();
  void writeLargest();
  void removeEarlier();
  void fail(const llvm::Twine &Path, std::error_code EC);

  std::string Dir;
  std::vector<ParquetFile::Field> Fields;
  std::string HostDir, Name;
  std::map<Key, std::unique_ptr<Part>> Open;
  std::map<Key, unsigned> Parts; // number of parts so far
  std::set<std::string> Written; // paths of the published files
  Part *Last = nullptr;          // the last result of at()
  uint64_t Added = 0;            // rows added since the last check of memory
  uint64_t Files = 0;
  std::string Failed; // the reason why writing has stopped
};

} // namespace patchbay
