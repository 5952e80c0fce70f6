// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a running process has to load to have our runtime, and by which names it finds
// that: it may be in a container, have another root directory, or no right to read
// the files; and it may have the runtime already.
#ifndef PATCHBAY_TOOL_ATTACH_RUNTIMEFILES_H
#define PATCHBAY_TOOL_ATTACH_RUNTIMEFILES_H

#include "Injection.h"
#include "elf/ElfImage.h"

namespace patchbay {

/// Paths and ByContents of an Injection. Fails if the process has a runtime of another
/// version: two would not know of each other.
llvm::Expected<Injection> runtimeFor(const ProcessMemory &Memory,
                                     const ElfImage &Library);

/// inject(), and if the process may not open the files, with their contents.
llvm::Expected<InjectionResult> injectRuntime(ProcessMemory &Memory,
                                              Injection What,
                                              const ElfImage &Library);

} // namespace patchbay

#endif
