// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds modules of other ABI versions by their files. Nothing in memory
// identifies modules of version 1 to later runtimes or to this command.
#pragma once

#include "LiveProcess.h"

namespace patchbay {

/// Reads the files that have mapped code. Skips files that cannot be read.
std::vector<OtherModule> otherVersionsMapped(const ProcessMemory &Memory);

} // namespace patchbay
