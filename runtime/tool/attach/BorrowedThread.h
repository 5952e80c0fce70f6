// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether threads are out of the code of Stub.h, so that it can be taken away.
#ifndef PATCHBAY_TOOL_ATTACH_BORROWEDTHREAD_H
#define PATCHBAY_TOOL_ATTACH_BORROWEDTHREAD_H

#include "LoadedModules.h"
#include "Stub.h"

namespace patchbay {

/// The thread that was borrowed, for good: it may have left the code for a signal
/// handler, and is back in there when that returns.
bool hasLeft(const ProcessMemory &Memory, const LoadedModules &Modules,
             const LoadedModule::Range &Code, const StubUse &Use);

/// All threads, of code that was found there: another command was killed, and has
/// left it.
bool isLeftAlone(const ProcessMemory &Memory, const LoadedModules &Modules,
                 const LoadedModule::Range &Code, const StubUse &Use);

} // namespace patchbay

#endif
