// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data files as the recorder sees them: it writes what processes name, and notices when
// another program has cut one off.
#pragma once

#include "trace/format/format.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace patchbay {

/// Bytes of a file from At on.
struct FilePart {
  uint64_t At, Size;
};

/// Writes only to data files in its directory, and makes none longer than it was.
class DataWriter {
public:
  struct File {
    std::string Name;
    dev_t Device;
    ino_t Inode;
    pbd_header Header;   // as it was found
    uint64_t Size = 0;   // the largest so far
    uint64_t Lost = 0;   // bytes that were cut off, and that nothing can write again
    unsigned Cuts = 0;   // how often the file was cut off
    uint64_t Checked = 0; // chunks before this offset have their heads; if Cuts != 0

    // The last written word that is not 0. If it is 0 in the file, that was cut off.
    struct Word {
      uint64_t At = 0, Value = 0;
    };
    Word Last;
    // What will not be written again, and its last word.
    std::vector<std::pair<FilePart, Word>> Final;
    // Unused chunks, which blocks may replace; if Cuts != 0.
    std::map<uint64_t, uint64_t> Unused;
  };

  /// Dir: the open directory, which must stay open.
  explicit DataWriter(int Dir) : Dir(Dir) {}
  DataWriter(const DataWriter &) = delete;
  ~DataWriter() { closeFile(); }

  void setDirectory(int Other);

  /// Opens the file until another one is opened. Returns nullptr if it is no data file,
  /// or another one. The name is a process's, which may lie.
  File *open(llvm::StringRef Name, uint64_t StartNs);

  /// The same for a file without a header, which another program has cut off. Header is
  /// the process's.
  File *adopt(llvm::StringRef Name, const pbd_header &Header);

  /// Forget that it was checked for cuts.
  void closeFile();

  /// These work on the open file. Its process has made it so long, and another program has
  /// cut it off since it was opened before.
  bool extend(uint64_t Committed);
  /// Bytes beyond its end are refused. Words: From has
  /// whole words of the file.
  bool write(const char *From, size_t Size, uint64_t At);
  bool writeHeader(const pbd_header &Now);
  /// Nothing writes this part any more.
  void finish(FilePart Part, File::Word Last);
  /// Gives heads to chunks that were cut off, so that readers skip them. Others are in
  /// Areas, which are sorted.
  void fillGaps(uint64_t Committed, llvm::ArrayRef<FilePart> Areas);
  /// A block replaces unused chunks.
  void splitUnused(FilePart Block);
  /// Has no process the file?
  bool isUnused();

  /// The process has gone: only what it lost is kept.
  void forget(llvm::StringRef Name, uint64_t StartNs);

  /// How often the file was cut off, as far as known.
  unsigned cuts(llvm::StringRef Name, uint64_t StartNs) const;

  /// Files that were cut off, and the bytes that are lost.
  std::map<std::string, uint64_t> cutFiles() const;

private:
  File *openAs(std::pair<uint64_t, std::string> Key, const pbd_header &Header);
  bool check();
  void cut();
  bool fits(uint64_t At, uint64_t Size);

  int Dir, FD = -1;
  File *Current = nullptr;
  std::pair<uint64_t, std::string> CurrentKey;
  std::map<std::pair<uint64_t, std::string>, File> Files;
  std::map<std::string, uint64_t> Cut;
  bool HasCuts = false;
};

/// The last word of the memory that is not 0. At: of the memory in the file.
DataWriter::File::Word lastWord(const char *From, size_t Size, uint64_t At);

} // namespace patchbay
