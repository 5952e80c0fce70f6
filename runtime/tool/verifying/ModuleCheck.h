// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the section of records, and the module descriptor that leads to it.
#ifndef PATCHBAY_TOOL_MODULECHECK_H
#define PATCHBAY_TOOL_MODULECHECK_H

#include "Findings.h"
#include "ImageView.h"

namespace patchbay {

llvm::Error checkModule(const ImageView &View, Findings &Out);

} // namespace patchbay

#endif
