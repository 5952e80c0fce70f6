// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who called whom in a thread that stands still: by the tables that C++ exceptions
// use (.eh_frame, Linux Standard Base, Core, chapter "Exception Frames"; the rules
// in it are DWARF 5, 6.4). It is for a proof, so it guesses nothing: where a table is
// missing or says what is not understood here, there is no answer.
#ifndef PATCHBAY_TOOL_ATTACH_UNWINDER_H
#define PATCHBAY_TOOL_ATTACH_UNWINDER_H

#include "LoadedModules.h"
#include "Registers.h"
#include <optional>

namespace patchbay {

struct StackFrame {
  uint64_t Pc;   // of a caller: where it goes on
  uint64_t Code; // in the instruction that is executed there
};

/// From the innermost to the outermost, that of the thread's first function, which
/// its table marks as such; std::nullopt if the way there is not known.
std::optional<std::vector<StackFrame>>
unwindStack(const ProcessMemory &Memory, const LoadedModules &Modules,
            const DwarfRegisters &Registers);

} // namespace patchbay

#endif
