// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a demangled name: where brackets begin and end, though operators
// are written with the same signs.
#ifndef PATCHBAY_TOOL_NAMEPARTS_H
#define PATCHBAY_TOOL_NAMEPARTS_H

#include "llvm/ADT/StringRef.h"
#include <vector>

namespace patchbay {

/// Goes through a name by what belongs together: what is between brackets of
/// any kind, the name of an operator, decltype with its brackets, or else a
/// character. It takes time in proportion to the name, whatever that is: names
/// are read from files.
class NameParts {
public:
  explicit NameParts(llvm::StringRef Name) : Rest(Name) {}
  bool empty() const { return Rest.empty(); }
  llvm::StringRef next();

private:
  size_t nextSize();
  size_t conversionSize(size_t Begin);
  size_t bracketsSize();

  llvm::StringRef Rest;
  bool IsInWord = false;
  std::vector<const char *> Unclosed; // brackets of which that is known
};

/// Of identifiers, which may have characters of UTF-8.
bool isWord(char C);

/// Whether the part that follows these is a function's parameters: not
/// "(anonymous namespace)", and not Go's "(*Type)" behind a package.
bool isParameters(llvm::StringRef Part, llvm::StringRef Before);

} // namespace patchbay

#endif
