// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a glob matches in a running process, which itself knows the symbols'
// names only: demangled ones are looked up here, as `record` does it.
#ifndef PATCHBAY_TOOL_LIVESELECTION_H
#define PATCHBAY_TOOL_LIVESELECTION_H

#include "llvm/ADT/StringRef.h"
#include <set>
#include <string>

namespace patchbay {

class LiveSelection {
public:
  /// An empty glob is none. One line on stderr says if names cannot be looked
  /// up.
  LiveSelection(int Pid, llvm::StringRef Glob);
  ~LiveSelection();
  LiveSelection(const LiveSelection &) = delete;
  LiveSelection &operator=(const LiveSelection &) = delete;

  /// The descriptor of a file with the names of the functions, to be sent to
  /// the process; -1 if it finds all that can be found by the glob.
  int file() const { return File; }
  /// Nothing matches, in files that could all be read.
  bool isNothing() const { return !HasMatches && Stripped.empty() && Gone.empty(); }
  /// What to say where nothing matches: "; ..."
  std::string hint() const;

private:
  bool writeFile(const std::set<std::string> &Names);

  int Pid;
  int File = -1;
  bool HasMatches = false;
  std::string Meant;    // "did you mean ..."
  std::string Stripped; // a file without a symbol table
  std::string Gone;     // one that is not to be had any more
};

} // namespace patchbay

#endif
