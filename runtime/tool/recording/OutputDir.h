// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output directory that `record` gives to traced processes.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <utility>
#include <vector>

namespace patchbay {

/// Default directory that `record` writes and `report` reads.
constexpr char DefaultDataDir[] = "patchbay.data";

/// Files that are still being recorded, by their process or a forked one.
/// Ignores files that cannot be opened.
std::vector<std::string> filesInUse(llvm::ArrayRef<std::string> Files);

/// An open directory with a lock of flock(2), which ends with this object. The
/// lock belongs to the directory, even if it is moved.
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
  /// Locks the directory that has this name after locking.
  llvm::Expected<State> lock(const std::string &Path);

  int descriptor() const { return FD; }

private:
  int FD = -1;
};

class OutputDir {
public:
  /// Makes the directory. Moves an earlier recording there to DIR.old, and deletes the
  /// previous DIR.old. Refuses anything else that exists, and recordings that another
  /// command or a process that outlived its command still writes to.
  ///
  /// The directory is locked while the object lives.
  static llvm::Expected<OutputDir> create(llvm::StringRef Path);

  const std::string &path() const { return Path; }
  int descriptor() const { return Lock.descriptor(); }
  /// Writes the command line of this process to a file, for `patchbay info`.
  llvm::Error writeCommand() const;
  /// Adds a sentence about the recording, which its readers show.
  llvm::Error addNote(llvm::StringRef Note) const;
  /// Restores the previous state if nothing was recorded. The DIR.old from
  /// before create() stays deleted.
  void undo();
  /// Deletes spare files that are not needed any more.
  void removeUnused() const;

private:
  llvm::Error moveAside();

  std::string Path;
  std::string Old; // empty unless a recording was moved there
  bool Made = false;
  LockedDir Lock;
};

} // namespace patchbay
