// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of a file that others may own and change: a recording that goes on, or
// what a process has mapped. It is opened once, and it must be a regular file, so
// that reading it comes to an end and waits for nobody.
#ifndef PATCHBAY_TOOL_MAPPEDFILE_H
#define PATCHBAY_TOOL_MAPPEDFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace patchbay {

/// Opens a regular file for reading. Anything else is not opened at all, as a device
/// may do something when it is. Flags: O_NOFOLLOW, or 0. The descriptor is the
/// caller's. Errors say why, without the path.
llvm::Expected<int> openRegularFile(const llvm::Twine &Path, int Flags = 0);
/// The same of what open(2) with O_PATH has found, which stays open.
llvm::Expected<int> openRegularFile(int Found);

class MappedFile {
public:
  /// As large as it is now. Does not keep the descriptor. Errors are without a path;
  /// Path is what is said if the file has become shorter, or cannot be read, while
  /// its bytes are looked at: the kernel then sends SIGBUS (mmap(2)), and the command
  /// ends with one line and the exit code Failure.
  static llvm::Expected<MappedFile> map(int File, const llvm::Twine &Path);
  MappedFile() = default;
  MappedFile(MappedFile &&Other);
  MappedFile &operator=(MappedFile &&Other);
  ~MappedFile();

  llvm::StringRef bytes() const;
  /// Bytes, which are some of these, were looked at and need not stay in memory. They
  /// can be looked at again. For any thread.
  void release(llvm::StringRef Bytes) const;

private:
  const char *Start = nullptr;
  size_t Size = 0;
};

} // namespace patchbay

#endif
