// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a demangled name: where brackets begin and end, though operators
// are written with the same signs.
#ifndef PATCHBAY_TOOL_NAMEPARTS_H
#define PATCHBAY_TOOL_NAMEPARTS_H

#include "llvm/ADT/StringRef.h"

namespace patchbay {

/// Goes through a name by what belongs together: what is between brackets of
/// any kind, the name of an operator, or else a character.
class NameParts {
public:
  explicit NameParts(llvm::StringRef Name) : Rest(Name) {}
  bool empty() const { return Rest.empty(); }
  llvm::StringRef next();

private:
  bool isOperator() const;
  size_t operatorSize() const;
  size_t bracketsSize() const;

  llvm::StringRef Rest;
  bool IsInWord = false;
};

/// Of identifiers.
bool isWord(char C);

} // namespace patchbay

#endif
