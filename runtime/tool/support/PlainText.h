// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers for short texts. Text from files may have any contents, so printable() makes
// it safe for a terminal.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace patchbay {

/// Replaces control characters by '?'.
std::string printable(llvm::StringRef Text);

/// A number and a noun: "1 function", "2 functions".
std::string counted(uint64_t N, llvm::StringRef What);

/// Shortens text to at most Size bytes. "..." replaces the middle.
std::string shortened(llvm::StringRef Text, size_t Size);

/// Do the bytes before and after At belong to the same UTF-8 character?
bool isWithinCharacter(llvm::StringRef Text, size_t At);

} // namespace patchbay
