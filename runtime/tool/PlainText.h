// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text from files, which may have anything in it, for a terminal.
#ifndef PATCHBAY_TOOL_PLAINTEXT_H
#define PATCHBAY_TOOL_PLAINTEXT_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace patchbay {

/// Text from a file, fit for a terminal: control characters become '?'.
std::string printable(llvm::StringRef Text);

/// At most Size bytes: what is in the middle makes room for "...".
std::string shortened(llvm::StringRef Text, size_t Size);

/// Whether what is before and behind it are of one character of UTF-8.
bool isWithinCharacter(llvm::StringRef Text, size_t At);

} // namespace patchbay

#endif
