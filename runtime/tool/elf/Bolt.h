// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes changes by llvm-bolt (bolt/lib/Rewrite/RewriteInstance.cpp). In an image linked
// with --emit-relocs, llvm-bolt moves functions to a new .text, and keeps the old section as
// .bolt.org.text. Records of moved functions still point to the old code, which is never
// executed.
#pragma once

#include "ElfImage.h"

namespace patchbay {

/// Did llvm-bolt write the image, with or without moved functions?
llvm::Expected<bool> isWrittenByBolt(const ElfImage &Image);

/// May llvm-bolt have moved functions?
llvm::Expected<bool> hasMovedFunctions(const ElfImage &Image);

/// In an image with moved functions: was the function at Entry moved? Functions that
/// llvm-bolt does not move keep their symbols.
bool isMoved(const SymbolNames &Functions, uint64_t Entry);

/// Removes the records of moved functions from Records.
llvm::Error removeMoved(const ElfImage &Image, const SymbolNames &Functions,
                        std::vector<SiteRecord> &Records);

/// A message for an image in which Moved of All functions were moved.
std::string movedText(const ElfImage &Image, const SymbolNames &Functions,
                      size_t Moved, size_t All);

} // namespace patchbay
