// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes options to a process: in the environment, or, if they are too long, in
// a file in the output directory (runtime/trace/options/selection.h).
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace patchbay {
/// Escapes Text as the value of an option in PATCHBAY. trace/options/options.c
/// unescapes it.
std::string escapeOption(llvm::StringRef Text);

/// Appends output= to Options. Dir: the open directory, which the process finds
/// as Output. Number: unique among the recording's files.
llvm::Expected<std::string> withOutput(llvm::StringRef Options, int Dir,
                                       llvm::StringRef Output, unsigned Number);

/// Removes these files after the last process that may need them.
void removeOptionFiles(int Dir);

} // namespace patchbay
