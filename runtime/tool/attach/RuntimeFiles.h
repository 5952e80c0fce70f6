// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of our runtime that a running process must load, and the names by which the
// process finds them. The process may be in a container, have another root directory, or
// lack the right to read the files. It may also have loaded the runtime already.
#pragma once

#include "Injection.h"
#include "elf/ElfImage.h"

namespace patchbay {

/// Fills in Paths and ByContents of an Injection. Fails if the process has a
/// runtime of another version: two runtimes would not know of each other.
llvm::Expected<Injection> runtimeFor(const ProcessMemory &Memory,
                                     const ElfImage &Library);

/// Calls inject(). If the process cannot open the files, tries again with their contents.
llvm::Expected<InjectionResult> injectRuntime(ProcessMemory &Memory,
                                              Injection What,
                                              const ElfImage &Library);

} // namespace patchbay
