// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names to show. A compiler may have appended something to a function's name that
// tells it from others of that name: parse.llvm.1527. That is noise, and in the
// next build it is another number. So it is shown only where two functions of a
// file would look the same without it.
#ifndef PATCHBAY_TOOL_SOURCENAMES_H
#define PATCHBAY_TOOL_SOURCENAMES_H

#include "elf/ElfImage.h"

namespace patchbay {

/// The symbol's name without .llvm.N, .__uniq.N, .N, .cfi and the digits of a
/// module, see patchbay/names.h. What says that it is a part or a copy of the
/// function stays: parse.llvm.1527.cold is parse.cold.
std::string sourceName(llvm::StringRef Symbol);

/// The names of the function at Entry as people read them, without repetition
/// and the one to show first; "0x..." if there is none.
std::vector<std::string> displayNames(const SymbolNames &Of, uint64_t Entry);

/// The first of these, as it would be if no other function had that name: what
/// two builds of a program have in common.
std::string commonName(const SymbolNames &Of, uint64_t Entry);

} // namespace patchbay

#endif
