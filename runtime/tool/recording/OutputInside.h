// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The directory to which a running process records: the output directory, or a temporary
// one inside of the process's container or root, if the process cannot reach the former.
// The files of a temporary one are collected at the end.
#pragma once

#include "Rotation.h"
#include "support/Descriptor.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace patchbay {

class OutputInside {
public:
  /// Gives the process's user the right to write there. Dir was made for this
  /// recording.
  static llvm::Expected<OutputInside> create(pid_t Process,
                                             const std::string &Dir);
  OutputInside(OutputInside &&) = default;
  OutputInside &operator=(OutputInside &&) = delete;
  /// Removes a directory that was made inside, except files that could not be
  /// copied.
  ~OutputInside();

  /// The path that the process uses.
  const std::string &path() const { return Path; }
  /// The options of runtime/trace/options/options.h with output= and the right
  /// directory.
  llvm::Expected<std::string> withOutput(llvm::StringRef Options, pid_t Process) const;
  /// Names and removes files of a directory inside. In Dir another object does that.
  void rotate(const RecordingLimits &Limits);
  /// Copies the recording to Dir, unless it is there already.
  llvm::Error collect();

private:
  OutputInside() = default;

  std::string Path, Dir;
  std::string Name; // in Parent; empty: the directory is Dir
  /// Open while this object lives: the process may end earlier, and its root
  /// with it.
  Descriptor Parent, Inside;
  std::vector<std::string> NotCopied;
  std::unique_ptr<Rotation> Files;
};

} // namespace patchbay
