// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explains an empty recording, and names requested functions that were not
// found.
#pragma once

#include "reading/Trace.h"

namespace patchbay {

/// The error for a trace without functions: none was traced, or no call of a
/// traced function was recorded. Gives possible reasons.
llvm::Error nothingTraced(const Trace &T, llvm::StringRef Dir);

/// Was the function of --start-at never called?
bool neverStarted(llvm::ArrayRef<const DataFile *> Files);
/// Was no function of --under called?
bool neverWithin(llvm::ArrayRef<const DataFile *> Files);

/// An option with a name that PATCHBAY requested: "filter='x*'".
std::string askedText(const DataAsked &A);
/// Requested names without a function in any of these processes: "filter='x*',
/// start-at='y'". Empty if there are none.
std::string matchedNothing(llvm::ArrayRef<const DataFile *> Files);
std::string matchedNothing(const Trace &T);

} // namespace patchbay
