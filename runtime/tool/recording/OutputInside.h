// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The directory to which a running process records: the output directory or, if the
// process cannot reach that, a temporary directory within the process's container or
// root. Files in a temporary directory are copied to the output directory at the end.
#pragma once

#include "Rotation.h"
#include "support/MappedFile.h"
#include <memory>
#include <sys/types.h>

namespace patchbay {

class OutputInside {
public:
  /// Creates the directory, and lets the process's user write there. Dir must have been
  /// created for this recording.
  static llvm::Expected<OutputInside> create(pid_t Process,
                                             const std::string &Dir);
  OutputInside(OutputInside &&) = default;
  OutputInside &operator=(OutputInside &&) = delete;
  /// Removes a temporary directory, except files that could not be copied.
  ~OutputInside();

  /// The path by which the process finds the directory.
  const std::string &path() const { return Path; }
  /// The given options of runtime/trace/options/options.h, with output= and this
  /// directory.
  llvm::Expected<std::string> withOutput(llvm::StringRef Options, pid_t Process) const;
  /// Names and removes files of a temporary directory. (For Dir another object does
  /// that.)
  void rotate(const RecordingLimits &Limits);
  /// Copies the recording to Dir, unless it is already there.
  llvm::Error collect();

private:
  OutputInside() = default;

  std::string Path, Dir;
  std::string Name; // name in Parent; empty: the directory is Dir
  /// Kept open, since the root of the process ends with the process.
  Descriptor Parent, Inside;
  std::vector<std::string> NotCopied;
  std::unique_ptr<Rotation> Files;
};

} // namespace patchbay
