// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many recordings as one table: Parquet files in a tree of directories. Their names hold
// the common columns of their rows, like Hive's partitions, which all engines read:
//
//     host=web-1/day=2026-03-01/build_id=0123abcd/START-PID.parquet
//
// Each file belongs to one process, and appears as a whole. So the tree can be
// read, or copied to an object store, while others add to it.
#pragma once

#include "ParquetFile.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <set>

namespace patchbay {

class ParquetTree {
public:
  /// Fields: columns of its files, without those that directories hold.
  ParquetTree(llvm::StringRef Dir, llvm::ArrayRef<ParquetFile::Field> Fields);
  /// Removes unfinished files.
  ~ParquetTree();
  /// Makes the directory, unless it exists.
  llvm::Error create();

  /// Later rows belong to this process, until endProcess(). Start: in ns since
  /// 1970.
  void beginProcess(llvm::StringRef Host, uint64_t Start, uint32_t Pid);
  /// Publishes the process's files. They replace those of an earlier dump of
  /// the same process, unless it has no rows now.
  void endProcess();
  /// The file for the next row; null after an error. Day: since 1970.
  ParquetFile *at(int64_t Day, llvm::StringRef BuildId);
  uint64_t files() const { return Files; }
  /// The first error. After it nothing was written.
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
  std::map<Key, unsigned> Parts; // their number so far
  std::set<std::string> Written; // their paths
  Part *Last = nullptr;          // the last result of at()
  uint64_t Added = 0;            // rows since the last check of memory
  uint64_t Files = 0;
  std::string Failed; // why writing has stopped
};

} // namespace patchbay
