// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output directory that `record` gives to traced processes, and the options for these:
// in the environment or, if they are too long, in a file in that directory
// (runtime/trace/options/selection.h).
#pragma once

#include "support/MappedFile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace patchbay {

/// The default directory, which `record` writes and `report` reads.
constexpr char DefaultDataDir[] = "patchbay.data";

/// Files to which a process still records. Ignores files that cannot be opened.
std::vector<std::string> filesInUse(llvm::ArrayRef<std::string> Files);

/// An open directory with a lock of flock(2), which ends with this object. The
/// lock belongs to the directory, even after it is renamed.
class LockedDir {
public:
  enum class State { Missing, Busy, Locked };
  /// Locks the directory, which still has this name when it is locked.
  llvm::Expected<State> lock(const std::string &Path);

  int descriptor() const { return FD; }

private:
  Descriptor FD;
};

/// The names in an open directory, sorted.
llvm::Expected<std::vector<std::string>> namesIn(int Dir);

class OutputDir {
public:
  /// Creates the directory. Renames an earlier recording there to DIR.old, and deletes
  /// the previous DIR.old. Fails if anything else exists there, or if a command or a
  /// process still writes to the recording.
  ///
  /// The directory is locked during the lifetime of this object.
  static llvm::Expected<OutputDir> create(llvm::StringRef Path);

  const std::string &path() const { return Path; }
  int descriptor() const { return Lock.descriptor(); }
  /// Writes the command line of this process to a file, which `patchbay info`
  /// shows.
  llvm::Error writeCommand() const;
  /// Adds a sentence about the recording, which readers of the recording print.
  llvm::Error addNote(llvm::StringRef Note) const;
  /// Restores the previous state if nothing was recorded. A DIR.old that
  /// create() deleted stays deleted.
  void undo();
  /// Deletes spare files that are no longer needed.
  void removeUnused() const;

private:
  llvm::Error moveAside();

  std::string Path;
  std::string Old; // name of the earlier recording
  bool Made = false;
  LockedDir Lock;
};

/// Is the open file or directory in tmpfs or a similar file system?
bool isInMemory(int File);

/// The least memory limit of the process's control groups.
std::optional<uint64_t> memoryLimit(pid_t Process);

/// Warns if Dir is in memory and the process's control group has a memory limit. Path:
/// the path by which this command finds Dir.
void warnOfMemory(llvm::StringRef Dir, const std::string &Path, pid_t Process);

/// Escapes Text as the value of an option in PATCHBAY. trace/options/options.c
/// unescapes it.
std::string escapeOption(llvm::StringRef Text);

/// Appends output= to Options. Dir: the open directory, which the process finds
/// as Output. Number: unique among the recording's files.
llvm::Expected<std::string> withOutput(llvm::StringRef Options, int Dir,
                                       llvm::StringRef Output, unsigned Number);

/// Removes these files after the last process that may need them.
void removeOptionFiles(int Dir);

} // namespace patchbay
