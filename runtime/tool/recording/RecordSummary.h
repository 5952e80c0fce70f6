// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages that `record` prints when the program has ended.
#pragma once

#include "OutputDir.h"
#include "Rotation.h"

namespace patchbay {

/// Prints one line to stderr for each deviation from the request, and then a line that
/// tells where the data of Program is. Named: Dir as the user wrote it. Threads: globs of
/// requested threads; empty: all threads.
void sayWhatWasRecorded(llvm::StringRef Program, const OutputDir &Dir,
                        llvm::StringRef Named,
                        llvm::ArrayRef<std::string> Threads,
                        const RecordingLimits &Limits, uint64_t Removed);

/// For --force, which also runs a program whose functions may be in libraries that the
/// program loads later. Prints the Globs of -F and similar options for which no process
/// found a function, and the requests of --args without debug information.
void sayWhatWasNotFound(const OutputDir &Dir, llvm::StringRef Named,
                        llvm::ArrayRef<std::string> Globs,
                        llvm::ArrayRef<std::string> Requests);

/// If other programs preempted Program often, its wall-clock times include waits for a CPU.
/// Prints a warning, and adds it to Dir as a note. Named: Dir as the user wrote it.
void sayIfPreempted(llvm::StringRef Program, const OutputDir &Dir, llvm::StringRef Named);

} // namespace patchbay
