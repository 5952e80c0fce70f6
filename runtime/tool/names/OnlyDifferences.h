// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of names that are made of the same template, what differs.
#ifndef PATCHBAY_TOOL_ONLYDIFFERENCES_H
#define PATCHBAY_TOOL_ONLYDIFFERENCES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace patchbay {

/// "Map<int, ...>::find" and "Map<char, ...>::find" of "Map<int, less<int>
/// >::find" and "Map<char, less<char> >::find": no more than it takes to tell
/// all of them apart. Brackets without any of it go.
std::vector<std::string> onlyDifferences(llvm::ArrayRef<std::string> Names,
                                         llvm::StringRef Dots);

} // namespace patchbay

#endif
