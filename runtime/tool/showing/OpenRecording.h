// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a recording, and prints to stderr what it lacks.
#pragma once

#include "reading/Trace.h"

namespace patchbay {

/// readTrace() and readOutline(), with warnings.
llvm::Expected<Trace> openTrace(const std::string &Dir, llvm::StringRef Symfs = "");
llvm::Expected<Trace> openOutline(const std::string &Dir, llvm::StringRef Symfs = "");

} // namespace patchbay
