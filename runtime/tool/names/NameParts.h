// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a demangled name into parts: finds brackets and their ends, although
// operators use the same signs.
#ifndef PATCHBAY_TOOL_NAMEPARTS_H
#define PATCHBAY_TOOL_NAMEPARTS_H

#include "trace/format/name_parts.h"
#include "llvm/ADT/StringRef.h"

namespace patchbay {

/// Goes through the parts of a name: see trace/format/name_parts.h.
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

/// A character of identifiers, which may be UTF-8.
bool isWord(char C);

/// Is the part after Before a function's parameter list? It is not for
/// "(anonymous namespace)", nor for Go's "(*Type)" after a package.
bool isParameters(llvm::StringRef Part, llvm::StringRef Before);

} // namespace patchbay

#endif
