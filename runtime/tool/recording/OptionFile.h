// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes options to a process: in the environment, or, if they are too long, in
// a file in the output directory (runtime/trace/options/selection.h).
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace patchbay {
/// Escapes Text as the value of an option in PATCHBAY. trace/options/options.c reverses
/// it.
std::string escapeOption(llvm::StringRef Text);

/// Appends output= to Options. Dir: the open directory that the process calls
/// Output. Number: unique among files of the recording.
llvm::Expected<std::string> withOutput(llvm::StringRef Options, int Dir,
                                       llvm::StringRef Output, unsigned Number);

/// Removes these files when no process can need them any more.
void removeOptionFiles(int Dir);

} // namespace patchbay
