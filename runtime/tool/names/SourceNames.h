// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for display. A compiler may append a suffix to a function's name to make it
// unique, such as parse.llvm.1527. The number changes with each build and is useless to
// users. The suffix is shown only if two functions of a file would have the same name
// without it.
#pragma once

#include "elf/ElfImage.h"

namespace patchbay {

/// The symbol's name without .llvm.N, .__uniq.N, .N, .cfi and the digits of a module:
/// see patchbay/names.h. Suffixes of parts and copies of the function stay:
/// parse.llvm.1527.cold becomes parse.cold.
std::string sourceName(llvm::StringRef Symbol);

/// Unique readable names of the function at Entry, the preferred one first; "0x..."
/// without a name.
std::vector<std::string> displayNames(const SymbolNames &Of, uint64_t Entry);

/// The first display name without the unique suffix: two builds of a program share it.
std::string commonName(const SymbolNames &Of, uint64_t Entry);

} // namespace patchbay
