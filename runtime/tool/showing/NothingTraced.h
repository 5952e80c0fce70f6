// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why there is nothing in a recording.
#ifndef PATCHBAY_TOOL_NOTHINGTRACED_H
#define PATCHBAY_TOOL_NOTHINGTRACED_H

#include "reading/Trace.h"

namespace patchbay {

/// Of a trace without functions: that none was traced, or that no call of those
/// that were was recorded, and what may be the reason.
llvm::Error nothingTraced(const Trace &T, llvm::StringRef Dir);

/// Whether the function of --start-at was called in no process.
bool neverStarted(llvm::ArrayRef<const DataFile *> Files);
/// The same of a call of a function of --under.
bool neverWithin(llvm::ArrayRef<const DataFile *> Files);

} // namespace patchbay

#endif
