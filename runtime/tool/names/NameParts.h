// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a demangled name: where brackets begin and end, though operators
// are written with the same signs.
#ifndef PATCHBAY_TOOL_NAMEPARTS_H
#define PATCHBAY_TOOL_NAMEPARTS_H

#include "name_parts.h"
#include "llvm/ADT/StringRef.h"

namespace patchbay {

/// Goes through a name by what belongs together: see trace/name_parts.h.
class NameParts {
public:
  explicit NameParts(llvm::StringRef Name) {
    pb_begin_name_parts(&Of, Name.data(), Name.size());
  }
  bool empty() const { return !Of.size; }
  llvm::StringRef next() {
    const char *Part = Of.rest;
    return {Part, pb_next_name_part(&Of)};
  }

private:
  pb_name_parts Of;
};

/// Of identifiers, which may have characters of UTF-8.
bool isWord(char C);

/// Whether the part that follows these is a function's parameters: not
/// "(anonymous namespace)", and not Go's "(*Type)" behind a package.
bool isParameters(llvm::StringRef Part, llvm::StringRef Before);

} // namespace patchbay

#endif
