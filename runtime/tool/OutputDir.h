// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The directory that `record` hands to the processes it traces.
#ifndef PATCHBAY_TOOL_OUTPUTDIR_H
#define PATCHBAY_TOOL_OUTPUTDIR_H

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace patchbay {

/// The data files in a directory, sorted.
llvm::Expected<std::vector<std::string>> dataFiles(llvm::StringRef Dir);

class OutputDir {
public:
  /// Makes the directory. An earlier recording there is moved to DIR.old, and
  /// the one before that is deleted; anything else that exists is refused.
  static llvm::Expected<OutputDir> create(llvm::StringRef Path);

  const std::string &path() const { return Path; }
  /// Puts things back, for when nothing was recorded after all. What was
  /// DIR.old before create() stays deleted.
  void undo();

private:
  std::string Path;
  std::string Old; // empty unless something was moved there
  bool Made = false;
};

} // namespace patchbay

#endif
