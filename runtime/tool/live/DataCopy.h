// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies a recording that is still being written.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace patchbay {

/// Copies the present contents of the data file From to the new file To, which
/// only its user can read. From comes from the recording process, so it is not
/// trusted. Copies no more than its header says, and leaves holes where nothing
/// was written. On error, To does not exist.
llvm::Error copyData(int From, llvm::StringRef To);

} // namespace patchbay
