// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the runtime's files that a running process must load, and their paths in the
// process. The process may be in a container, have another root directory, lack the
// permission to read the files, or have loaded the runtime already.
#pragma once

#include "Injection.h"
#include "elf/ElfImage.h"

namespace patchbay {

/// Fills in Paths and ByContents of an Injection. Fails if the process has a runtime of
/// another version, since two runtimes in one process would conflict.
llvm::Expected<Injection> runtimeFor(const ProcessMemory &Memory,
                                     const ElfImage &Library);

/// Calls inject(). If the process cannot open the files, tries again with their contents.
llvm::Expected<InjectionResult> injectRuntime(ProcessMemory &Memory,
                                              Injection What,
                                              const ElfImage &Library);

} // namespace patchbay
