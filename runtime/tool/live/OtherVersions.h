// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds modules of other ABI versions by their files. Modules of version 1 have
// nothing in memory that a later runtime, or the command, could find.
#pragma once

#include "LiveProcess.h"

namespace patchbay {

/// Looks at files with mapped code. Skips files that cannot be read.
std::vector<OtherModule> otherVersionsMapped(const ProcessMemory &Memory);

} // namespace patchbay
