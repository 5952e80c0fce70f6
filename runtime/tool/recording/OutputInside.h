// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a running process writes what it records: in the directory that it is for; or,
// where it does not find that, since it is in a container or has another root
// directory, in one that is made for it in there. That is collected at the end.
#ifndef PATCHBAY_TOOL_RECORDING_OUTPUTINSIDE_H
#define PATCHBAY_TOOL_RECORDING_OUTPUTINSIDE_H

#include "llvm/Support/Error.h"
#include <string>
#include <sys/types.h>
#include <vector>

namespace patchbay {

class OutputInside {
public:
  /// The process's user gets the right to write there. Dir was made for this.
  static llvm::Expected<OutputInside> create(pid_t Process,
                                             const std::string &Dir);
  OutputInside(OutputInside &&Other);
  OutputInside &operator=(OutputInside &&) = delete;
  /// Nothing is left of one that was made inside, but what could not be copied.
  ~OutputInside();

  /// As the process finds it.
  const std::string &path() const { return Path; }
  /// The options of runtime/trace/options.h with output=, wherever that is.
  llvm::Expected<std::string> withOutput(llvm::StringRef Options, pid_t Process) const;
  /// Copies what was recorded to Dir, if it is not there already.
  llvm::Error collect();

private:
  OutputInside() = default;

  std::string Path, Dir;
  std::string Name; // in Parent; empty: it is Dir
  /// Open for as long as this lives: the process may end before, and its root with it.
  int Parent = -1, Inside = -1;
  std::vector<std::string> NotCopied;
};

} // namespace patchbay

#endif
