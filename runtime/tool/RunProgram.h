// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program in the place of this command, as far as terminal and signals
// are concerned.
#ifndef PATCHBAY_TOOL_RUNPROGRAM_H
#define PATCHBAY_TOOL_RUNPROGRAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace patchbay {

/// Returns the wait status. Of signals that this process gets, those that the
/// terminal does not send to both are passed on.
llvm::Expected<int> runProgram(const std::string &Path,
                               llvm::ArrayRef<const char *> Args);

} // namespace patchbay

#endif
