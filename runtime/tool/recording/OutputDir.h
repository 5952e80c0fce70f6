// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output directory for traced processes, and the options of traced processes. The
// options are in the environment or, if they are too long, in a file in that directory
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

/// The default output directory of `record`, and input of `report`.
constexpr char DefaultDataDir[] = "patchbay.data";

/// The files among Files to which a process still records. Ignores files that cannot be
/// opened.
std::vector<std::string> filesInUse(llvm::ArrayRef<std::string> Files);

/// An open directory with a lock (flock(2)), which ends with this object. Renaming the
/// directory keeps the lock.
class LockedDir {
public:
  enum class State { Missing, Busy, Locked };
  /// Locks the directory that has this name when the lock is taken.
  llvm::Expected<State> lock(const std::string &Path);

  int descriptor() const { return FD; }

private:
  Descriptor FD;
};

/// The names in an open directory, sorted.
llvm::Expected<std::vector<std::string>> namesIn(int Dir);

class OutputDir {
public:
  /// Creates the directory and locks it during the lifetime of this object. Renames an
  /// earlier recording to DIR.old and deletes the previous DIR.old. Fails if Path has files
  /// that are no recording, or if a command or a process still writes to the recording.
  static llvm::Expected<OutputDir> create(llvm::StringRef Path);

  const std::string &path() const { return Path; }
  int descriptor() const { return Lock.descriptor(); }
  /// Writes the command line of this process to a file, for `patchbay info`.
  llvm::Error writeCommand() const;
  /// Adds a note to the recording. `report` and other readers print the note.
  llvm::Error addNote(llvm::StringRef Note) const;
  /// Restores the previous state if nothing was recorded, except a DIR.old that create()
  /// deleted.
  void undo();
  /// Deletes spare files that are no longer needed.
  void removeUnused() const;

private:
  llvm::Error moveAside();

  std::string Path;
  std::string Old; // new name of the earlier recording
  bool Made = false;
  LockedDir Lock;
};

/// Is the open file or directory in tmpfs or a similar file system?
bool isInMemory(int File);

/// The lowest memory limit of the process's control groups.
std::optional<uint64_t> memoryLimit(pid_t Process);

/// Warns if Dir is in memory and the process's control group has a memory limit. Path: the
/// path of Dir for this command.
void warnOfMemory(llvm::StringRef Dir, const std::string &Path, pid_t Process);

/// Escapes Text as the value of an option in PATCHBAY (trace/options/options.c).
std::string escapeOption(llvm::StringRef Text);

/// Appends output= to Options. Dir: the open directory. Output: the path of that directory
/// in the process. Number: unique among the recording's option files.
llvm::Expected<std::string> withOutput(llvm::StringRef Options, int Dir,
                                       llvm::StringRef Output, unsigned Number);

/// Removes the files with options, after the end of the last process that may need them.
void removeOptionFiles(int Dir);

} // namespace patchbay
