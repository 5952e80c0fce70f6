// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of a recording that goes on being written.
#ifndef PATCHBAY_TOOL_DATACOPY_H
#define PATCHBAY_TOOL_DATACOPY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace patchbay {

/// Copies what the data file From holds now to the new file To, for its user alone.
/// From comes from the process that records there, so nothing is expected of it: no
/// more is copied than its header says, and what nothing was written to takes no
/// space. If it fails there is no file To.
llvm::Error copyData(int From, llvm::StringRef To);

} // namespace patchbay

#endif
