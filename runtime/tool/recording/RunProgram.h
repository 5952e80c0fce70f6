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

/// Returns the wait status. SIGINT, SIGQUIT, SIGTERM and SIGHUP that this
/// process gets are passed on, but for those that the terminal sends to both.
llvm::Expected<int> runProgram(const std::string &Path,
                               llvm::ArrayRef<const char *> Args);

/// One line on stderr if a signal killed the program, as shells have it: of
/// SIGINT and SIGPIPE none.
void sayWhatKilled(llvm::StringRef Program, int Status);

} // namespace patchbay

#endif
