// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explains an empty recording, and names functions that were asked for in vain.
#pragma once

#include "reading/Trace.h"

namespace patchbay {

/// For a trace without functions: tells that none was traced, or that no call
/// of them was recorded, and possible reasons.
llvm::Error nothingTraced(const Trace &T, llvm::StringRef Dir);

/// Did no process call the function of --start-at?
bool neverStarted(llvm::ArrayRef<const DataFile *> Files);
/// Did no process call a function of --under?
bool neverWithin(llvm::ArrayRef<const DataFile *> Files);

/// For a name that PATCHBAY asked for: "filter='x*'".
std::string askedText(const DataAsked &A);
/// "filter='x*', start-at='y'": names without a function in any of these processes; empty
/// if there are none.
std::string matchedNothing(llvm::ArrayRef<const DataFile *> Files);
std::string matchedNothing(const Trace &T);

} // namespace patchbay
