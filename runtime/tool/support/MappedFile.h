// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of a file that other users may own and change: a recording in
// progress, or a file that a process has mapped. It is opened once, and must be
// a regular file, so that reading it never blocks.
#pragma once

#include "Descriptor.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <string>

namespace patchbay {

/// Opens a regular file for reading. Never opens anything else, since opening a
/// device may have effects. Flags: O_NOFOLLOW, or 0. Errors have the reason,
/// without the path.
llvm::Expected<Descriptor> openRegularFile(const llvm::Twine &Path, int Flags = 0);
/// The same for the result of open(2) with O_PATH, which stays open.
llvm::Expected<Descriptor> openRegularFile(int Found);

/// The text of a file whose size is only known after reading, as in /proc. Empty if it
/// cannot be read.
std::string fileText(const llvm::Twine &Path);

class MappedFile {
public:
  /// Maps the present size of the file. Does not keep the descriptor. Errors
  /// have no path. Path is for a later message: if the file shrinks or cannot
  /// be read while its bytes are used, the kernel sends SIGBUS (mmap(2)). The
  /// command then ends with one line and the exit code Failure.
  static llvm::Expected<MappedFile> map(int File, const llvm::Twine &Path);
  /// Opens the file as openRegularFile() does, and maps it.
  static llvm::Expected<MappedFile> open(const llvm::Twine &Path, int Flags = 0);
  MappedFile() = default;
  MappedFile(MappedFile &&Other);
  MappedFile &operator=(MappedFile &&Other);
  ~MappedFile();

  llvm::StringRef bytes() const;
  /// Bytes, a part of bytes(), have been read, and need not stay in memory.
  /// They can be read again. Any thread may call it.
  void release(llvm::StringRef Bytes) const;

private:
  const char *Start = nullptr;
  size_t Size = 0;
};

} // namespace patchbay
