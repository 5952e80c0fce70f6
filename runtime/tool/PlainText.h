// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes text from files, which may have any contents, safe for a terminal.
#ifndef PATCHBAY_TOOL_PLAINTEXT_H
#define PATCHBAY_TOOL_PLAINTEXT_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace patchbay {

/// Replaces control characters in text from a file by '?'.
std::string printable(llvm::StringRef Text);

/// At most Size bytes: "..." replaces the middle.
std::string shortened(llvm::StringRef Text, size_t Size);

/// Do the bytes before and after At belong to the same UTF-8 character?
bool isWithinCharacter(llvm::StringRef Text, size_t At);

} // namespace patchbay

#endif
