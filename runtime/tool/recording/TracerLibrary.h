// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library that `record` loads into a program.
#ifndef PATCHBAY_TOOL_TRACERLIBRARY_H
#define PATCHBAY_TOOL_TRACERLIBRARY_H

#include "elf/ElfImage.h"

namespace patchbay {

/// Fails if it is missing, or if LD_PRELOAD cannot name it.
llvm::Expected<ElfImage> openTracer();

/// The path of CostProbe.c's program. Fails if it is missing.
llvm::Expected<std::string> findProbe();

} // namespace patchbay

#endif
