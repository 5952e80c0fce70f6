// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What llvm-bolt does to an image (bolt/lib/Rewrite/RewriteInstance.cpp). Linked
// with --emit-relocs, functions are moved to a new .text. The old one, which is
// .bolt.org.text then, stays where it was, and the records, of which llvm-bolt
// knows nothing, lead there: to code as the compiler made it, but which nobody
// executes.
#ifndef PATCHBAY_TOOL_BOLT_H
#define PATCHBAY_TOOL_BOLT_H

#include "ElfImage.h"

namespace patchbay {

/// Whether llvm-bolt wrote the image, functions moved or not.
llvm::Expected<bool> isWrittenByBolt(const ElfImage &Image);

/// Whether it may have moved functions.
llvm::Expected<bool> hasMovedFunctions(const ElfImage &Image);

/// In an image with moved functions: whether the one at Entry is another's or
/// nobody's by now. What llvm-bolt leaves where it was keeps its symbol.
bool isMoved(const SymbolNames &Functions, uint64_t Entry);

/// Removes from Records those of functions that were moved.
llvm::Error removeMoved(const ElfImage &Image, const SymbolNames &Functions,
                        std::vector<SiteRecord> &Records);

/// What to say of an image of which Moved functions of All were removed.
std::string movedText(const ElfImage &Image, const SymbolNames &Functions,
                      size_t Moved, size_t All);

} // namespace patchbay

#endif
