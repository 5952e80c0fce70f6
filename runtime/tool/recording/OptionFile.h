// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a process is told: in the environment, or, where that has no room for it, in a file
// in the output directory (runtime/trace/selection.h).
#ifndef PATCHBAY_TOOL_RECORDING_OPTIONFILE_H
#define PATCHBAY_TOOL_RECORDING_OPTIONFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace patchbay {
/// Text as the value of an option in PATCHBAY: what trace/options.c undoes.
std::string escapeOption(llvm::StringRef Text);

/// Options without output=, and with it. Dir: an open directory, which the process calls
/// Output; Number: no other file of the recording has it.
llvm::Expected<std::string> withOutput(llvm::StringRef Options, int Dir,
                                       llvm::StringRef Output, unsigned Number);

/// Removes these files, which no process can need any more.
void removeOptionFiles(int Dir);

} // namespace patchbay

#endif
