// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules of other versions of the ABI, by their files. Those of version 1 have
// nothing in memory by which a runtime that came later, or the command, would find
// them.
#ifndef PATCHBAY_TOOL_OTHERVERSIONS_H
#define PATCHBAY_TOOL_OTHERVERSIONS_H

#include "LiveProcess.h"

namespace patchbay {

/// Of the files whose code is mapped. What cannot be read is left out.
std::vector<OtherModule> otherVersionsMapped(const ProcessMemory &Memory);

} // namespace patchbay

#endif
