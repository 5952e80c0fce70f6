// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of one record against the function that it describes, byte by byte.
#ifndef PATCHBAY_TOOL_RECORDCHECK_H
#define PATCHBAY_TOOL_RECORDCHECK_H

#include "Findings.h"
#include "ImageView.h"

namespace patchbay {

void checkRecord(const ImageView &View, const SiteRecord &Record,
                 Findings &Out);

/// Checks that no two records have the same entry or the same site.
void checkUnique(const ImageView &View, llvm::ArrayRef<SiteRecord> Records,
                 Findings &Out);

} // namespace patchbay

#endif
