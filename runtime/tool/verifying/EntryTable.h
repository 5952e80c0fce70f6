// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks functions in LLVM's own tables of patchable entries, as in kernel mode.
// There the slot is the only part of Patchbay.
#ifndef PATCHBAY_TOOL_ENTRYTABLE_H
#define PATCHBAY_TOOL_ENTRYTABLE_H

#include "Findings.h"
#include "ImageView.h"

namespace patchbay {

/// Returns how many functions of the tables have a slot. If an image has records, only
/// the table with LLVM's usual name is read.
llvm::Expected<unsigned> checkEntryTables(const ImageView &View,
                                          bool HasRecords, Findings &Out);

} // namespace patchbay

#endif
