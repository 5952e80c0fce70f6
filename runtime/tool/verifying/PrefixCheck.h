// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of what is before an entry, whoever leads to it: a record or the
// kernel's table.
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

/// Nobody else has a use for a range of bytes around the entry: no function
/// that begins before it reaches into it, and the dynamic loader writes nothing
/// there. The range is part of the image.
void checkOwned(const ImageView &View, const Subject &Function, int64_t From,
                int64_t To, Findings &Out);

/// Compares the image with Expected; Offset is from the entry. The range is
/// part of the image.
void checkBytes(const ImageView &View, const Subject &Function, int64_t Offset,
                const llvm::Twine &What, llvm::ArrayRef<uint8_t> Expected,
                Findings &Out);

} // namespace patchbay

#endif
