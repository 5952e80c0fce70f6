// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps a file that other users may own and change, such as a recording in progress, or a file
// that a process has mapped. Opens the file only once, and only if it is regular, so that reading
// never blocks.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace patchbay {

/// Owns a file descriptor, and closes it. -1: no descriptor.
class Descriptor {
public:
  Descriptor(int File = -1) : File(File) {}
  Descriptor(Descriptor &&Other) : File(std::exchange(Other.File, -1)) {}
  Descriptor &operator=(Descriptor &&Other) {
    std::swap(File, Other.File);
    return *this;
  }
  ~Descriptor() {
    if (File >= 0)
      close(File);
  }
  operator int() const & { return File; }
  operator int() const && = delete; // a temporary would be closed immediately

private:
  int File;
};

/// Opens a file for reading. Fails for other types than regular files, since opening a device may
/// have effects. Flags: O_NOFOLLOW, or 0. The error does not name the path.
llvm::Expected<Descriptor> openRegularFile(const llvm::Twine &Path, int Flags = 0);
/// Opens a file that was found by open(2) with O_PATH. Found stays open.
llvm::Expected<Descriptor> openRegularFile(int Found);

/// The contents of a file whose size is known only after reading, such as a file in /proc. Empty
/// if the file cannot be read.
std::string fileText(const llvm::Twine &Path);

/// A line of /proc/PID/maps. Path is empty if no file is mapped.
struct MemoryMapping {
  uint64_t Start, End, Offset, Inode;
  std::string Device; // as in /proc/PID/maps
  bool Readable, Executable;
  std::string Path;
};

/// Parses the lines of /proc/PID/maps. Skips invalid lines.
std::vector<MemoryMapping> parseMappings(llvm::StringRef Lines);
/// The mapping in All, sorted by address, that contains Address; nullptr: none.
const MemoryMapping *mappingAt(llvm::ArrayRef<MemoryMapping> All, uint64_t Address);

class MappedFile {
public:
  /// Maps the file at its current size. Does not keep the descriptor. The error does not name the
  /// path. If the file shrinks or cannot be read while its bytes are used, the kernel sends
  /// SIGBUS (mmap(2)). The command then prints one line with Path, and exits with Failure.
  static llvm::Expected<MappedFile> map(int File, const llvm::Twine &Path);
  /// Opens the file like openRegularFile(), and maps it.
  static llvm::Expected<MappedFile> open(const llvm::Twine &Path, int Flags = 0);
  MappedFile() = default;
  MappedFile(MappedFile &&Other);
  MappedFile &operator=(MappedFile &&Other);
  ~MappedFile();

  llvm::StringRef bytes() const;
  /// Releases the memory of a part of bytes(), which can be read again. Any thread may call this.
  void release(llvm::StringRef Bytes) const;

private:
  const char *Start = nullptr;
  size_t Size = 0;
};

} // namespace patchbay
