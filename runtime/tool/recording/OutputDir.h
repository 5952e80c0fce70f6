// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The directory that `record` hands to the processes it traces.
#ifndef PATCHBAY_TOOL_OUTPUTDIR_H
#define PATCHBAY_TOOL_OUTPUTDIR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <utility>
#include <vector>

namespace patchbay {

/// The name of the data file that `patchbay import` writes: no process has this number.
extern const char KernelFile[];

/// The data files in a directory, or one that Dir itself names. Sorted, the kernel's last: what processes did comes
/// first. Not those that are set aside for children and not used (yet).
llvm::Expected<std::vector<std::string>> dataFiles(llvm::StringRef Dir);

/// With which command the recording was made; empty: that is not known.
std::string commandOf(llvm::StringRef Dir);

/// Those of them that are still being recorded: by the process whose file it is, or
/// by one that it forked. Files that cannot be opened are left out.
std::vector<std::string> filesInUse(llvm::ArrayRef<std::string> Files);

/// An open directory with a lock of flock(2), which ends with this object. It
/// is the directory's, wherever that is moved.
class LockedDir {
public:
  LockedDir() = default;
  LockedDir(LockedDir &&Other) : FD(std::exchange(Other.FD, -1)) {}
  LockedDir &operator=(LockedDir &&Other) {
    std::swap(FD, Other.FD);
    return *this;
  }
  ~LockedDir();

  enum class State { Missing, Busy, Locked };
  /// Locks the directory that has this name when it is locked.
  llvm::Expected<State> lock(const std::string &Path);

  int descriptor() const { return FD; }

private:
  int FD = -1;
};

class OutputDir {
public:
  /// Makes the directory. An earlier recording there is moved to DIR.old, and
  /// the one before that is deleted; anything else that exists is refused, and
  /// so are both if something is still being recorded there: by another
  /// command, or by a process that outlived the one that started it.
  ///
  /// The directory is locked as long as the object lives.
  static llvm::Expected<OutputDir> create(llvm::StringRef Path);

  const std::string &path() const { return Path; }
  int descriptor() const { return Lock.descriptor(); }
  /// Writes down the command line of this process, for `patchbay info`.
  llvm::Error writeCommand() const;
  /// Puts things back, for when nothing was recorded after all. What was
  /// DIR.old before create() stays deleted.
  void undo();
  /// Deletes the files that were set aside and that nobody needs any more.
  void removeUnused() const;

private:
  llvm::Error moveAside();

  std::string Path;
  std::string Old; // empty unless something was moved there
  bool Made = false;
  LockedDir Lock;
};

} // namespace patchbay

#endif
