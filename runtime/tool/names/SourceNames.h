// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for display. A compiler may append a suffix to a function's name to distinguish
// it from others: parse.llvm.1527. Users do not need it, and the next build has another
// number. So it is shown only if two functions of a file would look the same without it.
#pragma once

#include "elf/ElfImage.h"

namespace patchbay {

/// The symbol's name without .llvm.N, .__uniq.N, .N, .cfi and the digits of a
/// module, see patchbay/names.h. Suffixes of parts and copies of the function
/// stay: parse.llvm.1527.cold becomes parse.cold.
std::string sourceName(llvm::StringRef Symbol);

/// Readable names of the function at Entry, without repetition, the preferred
/// one first; "0x..." if there is none.
std::vector<std::string> displayNames(const SymbolNames &Of, uint64_t Entry);

/// The first of these, without the suffix that distinguishes it: the name that
/// two builds of a program share.
std::string commonName(const SymbolNames &Of, uint64_t Entry);

} // namespace patchbay
