// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the bytes before an entry that a record or the kernel's table leads to.
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

/// Checks that bytes around the entry have no other use: no function that begins earlier
/// reaches into them, and the dynamic loader does not write to them. The range must be
/// part of the image.
void checkOwned(const ImageView &View, const Subject &Function, int64_t From,
                int64_t To, Findings &Out);

/// Compares the image with Expected. Offset: from the entry. The range must be
/// part of the image.
void checkBytes(const ImageView &View, const Subject &Function, int64_t Offset,
                const llvm::Twine &What, llvm::ArrayRef<uint8_t> Expected,
                Findings &Out);

} // namespace patchbay

#endif
