// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches a glob against the functions of a running process. The process knows
// only symbols, so this command matches demangled names and sends the symbols,
// as `record` does.
#pragma once

#include "support/Descriptor.h"
#include "llvm/ADT/StringRef.h"
#include <set>
#include <string>

namespace patchbay {

class LiveSelection {
public:
  /// An empty glob selects nothing. Prints a warning of one line if names
  /// cannot be looked up.
  LiveSelection(int Pid, llvm::StringRef Glob);

  /// A file with the names of the functions, to send to the process; -1 if the
  /// glob alone suffices.
  int file() const { return File; }
  /// Does no function match, although all files could be read?
  bool isNothing() const { return !HasMatches && Stripped.empty() && Gone.empty(); }
  /// Explains to the user why nothing matches: "; ..."
  std::string hint() const;

private:
  bool writeFile(const std::set<std::string> &Names);

  int Pid;
  Descriptor File;
  bool HasMatches = false;
  std::string Meant;    // "did you mean ..."
  std::string Stripped; // a file without a symbol table
  std::string Gone;     // a file that is no longer available
};

} // namespace patchbay
