// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many recordings as one table: Parquet files in a tree of directories whose names say
// what their rows have in common, as Hive has its partitions and all engines read them:
//
//     host=web-1/day=2026-03-01/build_id=0123abcd/START-PID.parquet
//
// Each file is of one process and is there as a whole or not at all, so the tree can be
// read, or copied to a store of objects, while others add to it.
#ifndef PATCHBAY_TOOL_PARQUETTREE_H
#define PATCHBAY_TOOL_PARQUETTREE_H

#include "ParquetFile.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <set>

namespace patchbay {

class ParquetTree {
public:
  /// Fields: of its files, without those that directories say.
  ParquetTree(llvm::StringRef Dir, llvm::ArrayRef<ParquetFile::Field> Fields);
  /// What was not finished is removed.
  ~ParquetTree();
  /// Makes the directory, if it is not there.
  llvm::Error create();

  /// What is added is of this process, until its end. Start: in ns since 1970.
  void beginProcess(llvm::StringRef Host, uint64_t Start, uint32_t Pid);
  /// Now its files are there, and of those that an earlier dump made of it only these;
  /// unless it has no rows this time.
  void endProcess();
  /// Where the next row goes; null after an error. Day: since 1970.
  ParquetFile *at(int64_t Day, llvm::StringRef BuildId);
  uint64_t files() const { return Files; }
  /// What went wrong first. Then nothing more was written.
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
  std::map<Key, unsigned> Parts; // how many there are by now
  std::set<std::string> Written; // their paths
  Part *Last = nullptr;          // that was asked for
  uint64_t Added = 0;            // rows, since memory was looked at
  uint64_t Files = 0;
  std::string Failed; // why nothing more is written
};

} // namespace patchbay

#endif
