// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The libraries that `record` loads into a program.
#pragma once

#include "elf/ElfImage.h"

namespace patchbay {

/// libpatchbay-trace.so only records. libpatchbay-live.so has a thread that
/// listens for commands, too.
enum class TracerKind { Records, Listens };

/// Fails if it is missing, or if LD_PRELOAD cannot name it.
llvm::Expected<ElfImage> openTracer(TracerKind Kind);

/// Is it the file name of one of them?
bool isTracer(llvm::StringRef Path);

/// The path of CostProbe.c's program. Fails if it is missing.
llvm::Expected<std::string> findProbe();

} // namespace patchbay
