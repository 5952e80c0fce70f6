// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks functions in LLVM's own table of patchable entries, as in kernel mode.
// There the slot is the only part of Patchbay.
#ifndef PATCHBAY_TOOL_ENTRYTABLE_H
#define PATCHBAY_TOOL_ENTRYTABLE_H

#include "Findings.h"
#include "ImageView.h"

namespace patchbay {

/// Returns how many functions of the table have a slot.
llvm::Expected<unsigned> checkEntryTable(const ImageView &View, Findings &Out);

} // namespace patchbay

#endif
