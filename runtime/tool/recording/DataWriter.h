// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recorder's access to data files: writes the data that processes request, and
// detects that another program has truncated a file.
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

/// Writes only to data files in its directory, and never extends one beyond its former
/// size.
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

    // The last written word that is not 0. If it is 0 in the file, the file was
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

  /// Dir: the open directory. It must stay open.
  explicit DataWriter(int Dir) : Dir(Dir) {}
  DataWriter(const DataWriter &) = delete;
  ~DataWriter() { closeFile(); }

  void setDirectory(int Other);

  /// Opens the file, and closes the one before. Returns nullptr if it is no data file,
  /// or a different one. The name comes from a process, so it is not trusted.
  File *open(llvm::StringRef Name, uint64_t StartNs);

  /// Opens a file without a header because another program has truncated it. Header is
  /// the one that the process has in memory.
  File *adopt(llvm::StringRef Name, const pbd_header &Header);

  /// Closes the file, which will be checked for truncation when it is opened again.
  void closeFile();

  /// These work on the open file. extend(): the process has extended the file to this
  /// size, and another program has truncated it before it was first opened.
  bool extend(uint64_t Committed);
  /// Fails for bytes beyond the end of the file. The data consists of whole words.
  bool write(const char *From, size_t Size, uint64_t At);
  bool writeHeader(const pbd_header &Now);
  /// Nothing will write this part again.
  void finish(FilePart Part, File::Word Last);
  /// Gives heads to chunks that were truncated, so that readers skip them. Chunks in
  /// Areas, which are sorted, are left alone.
  void fillGaps(uint64_t Committed, llvm::ArrayRef<FilePart> Areas);
  /// A block replaces unused chunks.
  void splitUnused(FilePart Block);
  /// Does no process use the file?
  bool isUnused();

  /// The process has ended: forget everything about the file but its losses.
  void forget(llvm::StringRef Name, uint64_t StartNs);

  /// How often the file is known to have been truncated.
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

/// The last word of the memory that is not 0. At: the offset in the file of the
/// memory's first byte.
DataWriter::File::Word lastWord(const char *From, size_t Size, uint64_t At);

} // namespace patchbay
