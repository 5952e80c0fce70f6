// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recorder's access to data files: writes the data of traced processes, and detects
// when another program has truncated a file.
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

/// Size bytes of a file, beginning at At.
struct FilePart {
  uint64_t At, Size;
};

/// Writes only to data files in its directory. Never makes a file larger than the file has
/// been before.
class DataWriter {
public:
  struct File {
    std::string Name;
    dev_t Device;
    ino_t Inode;
    pbd_header Header;   // as first read
    uint64_t Size = 0;   // the largest size so far
    uint64_t Lost = 0;   // bytes that were truncated and cannot be written again
    unsigned Cuts = 0;   // how often the file was truncated
    uint64_t Checked = 0; // if Cuts != 0: all chunks before this offset have heads

    // The last nonzero word that was written. If that word is 0 in the file, the file was
    // truncated.
    struct Word {
      uint64_t At = 0, Value = 0;
    };
    Word Last;
    // Parts that will not be written again, each with its last word.
    std::vector<std::pair<FilePart, Word>> Final;
    // If Cuts != 0: unused chunks, which blocks may replace.
    std::map<uint64_t, uint64_t> Unused;
  };

  /// Dir: the open directory, which must stay open.
  explicit DataWriter(int Dir) : Dir(Dir) {}
  DataWriter(const DataWriter &) = delete;
  ~DataWriter() { closeFile(); }

  void setDirectory(int Other);

  /// Closes the open file and opens the file Name, which is untrusted, since a traced
  /// process supplies the name. Returns nullptr unless the file is the data file of the
  /// process that started at StartNs.
  File *open(llvm::StringRef Name, uint64_t StartNs);

  /// Opens a file that lost its header when another program truncated it. Header: the
  /// header in the process's memory.
  File *adopt(llvm::StringRef Name, const pbd_header &Header);

  /// Closes the file. The next open() checks whether the file was truncated.
  void closeFile();

  /// The functions up to isUnused() use the open file. extend(): sets the size to which
  /// the process has extended the file, if another program truncated the file before this
  /// object opened it.
  bool extend(uint64_t Committed);
  /// Fails for bytes beyond the end of the file. The data consists of whole words.
  bool write(const char *From, size_t Size, uint64_t At);
  bool writeHeader(const pbd_header &Now);
  /// Declares that this part of the file will not be written again.
  void finish(FilePart Part, File::Word Last);
  /// Writes heads of unused chunks over truncated chunks, so that readers skip them. Does
  /// not change chunks in Areas. Areas are sorted.
  void fillGaps(uint64_t Committed, llvm::ArrayRef<FilePart> Areas);
  /// Splits an unused chunk, so that Block can replace a part of the chunk.
  void splitUnused(FilePart Block);
  /// Does no process use the file?
  bool isUnused();

  /// Forgets everything about the file of an ended process, except the number of lost
  /// bytes.
  void forget(llvm::StringRef Name, uint64_t StartNs);

  /// How often truncation of the file was detected.
  unsigned cuts(llvm::StringRef Name, uint64_t StartNs) const;

  /// The files that were truncated, and the number of lost bytes of each.
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

/// The last nonzero word of the memory. At: the file offset of the memory's first byte.
DataWriter::File::Word lastWord(const char *From, size_t Size, uint64_t At);

} // namespace patchbay
