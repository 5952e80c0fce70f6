// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `record` says when the program has ended.
#ifndef PATCHBAY_TOOL_RECORDSUMMARY_H
#define PATCHBAY_TOOL_RECORDSUMMARY_H

#include "OutputDir.h"
#include "Rotation.h"
#include "llvm/ADT/ArrayRef.h"

namespace patchbay {

/// One line on stderr that says where the data of Program went, and before it
/// one for each thing that is not as was asked for. Named: Dir as the user
/// calls it. Threads: globs of those that were to be recorded, none if all
/// were.
void sayWhatWasRecorded(llvm::StringRef Program, const OutputDir &Dir,
                        llvm::StringRef Named,
                        llvm::ArrayRef<std::string> Threads,
                        const RecordingLimits &Limits);

/// What --force ran the program for, as its functions could be in what it loads later: one
/// line with the Globs of -F and the like that no process found a function for, and one with
/// the requests of --args that no debug information was read for.
void sayWhatWasNotFound(const OutputDir &Dir, llvm::StringRef Named,
                        llvm::ArrayRef<std::string> Globs,
                        llvm::ArrayRef<std::string> Requests);

} // namespace patchbay

#endif
