// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out whether threads have left the code of Stub.h, so that it can be removed.
#pragma once

#include "LoadedModules.h"
#include "Stub.h"

namespace patchbay {

/// Has the borrowed thread left the code for good? It may have left it for a
/// signal handler, and then returns to it.
bool hasLeft(const ProcessMemory &Memory, const LoadedModules &Modules,
             const LoadedModule::Range &Code, const StubUse &Use);

/// Have all threads left the code of a command that was killed?
bool isLeftAlone(const ProcessMemory &Memory, const LoadedModules &Modules,
                 const LoadedModule::Range &Code, const StubUse &Use);

} // namespace patchbay
