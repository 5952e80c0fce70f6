// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the bytes before an entry, which a record or the kernel's table leads
// to.
#ifndef PATCHBAY_TOOL_PREFIXCHECK_H
#define PATCHBAY_TOOL_PREFIXCHECK_H

#include "Findings.h"
#include "ImageView.h"

namespace patchbay {

struct Subject {
  uint64_t Entry;
  std::string Name;
};

/// The slot: aligned and zero.
void checkSlot(const ImageView &View, const Subject &Function, Findings &Out);

/// Checks that a range of bytes around the entry has no other use. No function
/// that begins earlier reaches into it, and the dynamic loader does not write
/// to it. The range must be part of the image.
void checkOwned(const ImageView &View, const Subject &Function, int64_t From,
                int64_t To, Findings &Out);

/// Compares the image with Expected. Offset: from the entry. The range must be
/// part of the image.
void checkBytes(const ImageView &View, const Subject &Function, int64_t Offset,
                const llvm::Twine &What, llvm::ArrayRef<uint8_t> Expected,
                Findings &Out);

} // namespace patchbay

#endif
