// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of what leads to the records: their section, and the module
// descriptor.
#ifndef PATCHBAY_TOOL_MODULECHECK_H
#define PATCHBAY_TOOL_MODULECHECK_H

#include "Findings.h"
#include "ImageView.h"

namespace patchbay {

llvm::Error checkModule(const ImageView &View, Findings &Out);

} // namespace patchbay

#endif
