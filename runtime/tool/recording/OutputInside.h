// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The directory to which a running process records. If the process cannot reach the output
// directory, for example from a container, it records to a temporary directory within its
// root. At the end, this command copies the files to the output directory.
#pragma once

#include "Rotation.h"
#include "support/MappedFile.h"
#include <memory>
#include <sys/types.h>

namespace patchbay {

class OutputInside {
public:
  /// Chooses or creates the directory, and lets the process's user write to it. Dir: the
  /// output directory, created for this recording.
  static llvm::Expected<OutputInside> create(pid_t Process,
                                             const std::string &Dir);
  OutputInside(OutputInside &&) = default;
  OutputInside &operator=(OutputInside &&) = delete;
  /// Removes a temporary directory, except files that could not be copied.
  ~OutputInside();

  /// The path by which the process finds the directory.
  const std::string &path() const { return Path; }
  /// Appends output= with this directory to Options (runtime/trace/options/options.h).
  llvm::Expected<std::string> withOutput(llvm::StringRef Options, pid_t Process) const;
  /// Starts Rotation for a temporary directory. (For Dir, the caller runs Rotation.)
  void rotate(const RecordingLimits &Limits);
  /// Copies the recording from a temporary directory to Dir.
  llvm::Error collect();

private:
  OutputInside() = default;

  std::string Path, Dir;
  std::string Name; // name in Parent; empty: the directory is Dir
  /// Stay open, since the process's root cannot be reached after the process has ended.
  Descriptor Parent, Inside;
  std::vector<std::string> NotCopied;
  std::unique_ptr<Rotation> Files;
};

} // namespace patchbay
