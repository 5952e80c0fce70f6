// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The libraries that `record` loads into a program.
#pragma once

#include "elf/ElfImage.h"

namespace patchbay {

/// libpatchbay-trace.so only records. libpatchbay-live.so also has a thread
/// that listens for commands.
enum class TracerKind { Records, Listens };

/// Fails if the library is missing, or if LD_PRELOAD cannot name it.
llvm::Expected<ElfImage> openTracer(TracerKind Kind);

/// Is it the file name of one of these libraries?
bool isTracer(llvm::StringRef Path);

/// The path of the program CostProbe.c. Fails if it is missing.
llvm::Expected<std::string> findProbe();

} // namespace patchbay
