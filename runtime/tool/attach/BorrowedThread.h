// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out whether threads have left the code of Stub.h, so that it can be removed.
#pragma once

#include "LoadedModules.h"
#include "Stub.h"

namespace patchbay {

/// Has the borrowed thread left the code for good? It has not if it is in a
/// signal handler that returns to the code.
bool hasLeft(const ProcessMemory &Memory, const LoadedModules &Modules,
             const LoadedModule::Range &Code, const StubUse &Use);

/// Have all threads left the code that a killed command has written?
bool isLeftAlone(const ProcessMemory &Memory, const LoadedModules &Modules,
                 const LoadedModule::Range &Code, const StubUse &Use);

} // namespace patchbay
