// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages that `record` prints when the program has ended.
#pragma once

#include "OutputDir.h"
#include "Rotation.h"

namespace patchbay {

/// Prints one line to stderr that tells where the data of Program is, after one
/// line for each deviation from the request. Named: Dir as the user wrote it.
/// Threads: globs of requested threads; empty: all threads.
void sayWhatWasRecorded(llvm::StringRef Program, const OutputDir &Dir,
                        llvm::StringRef Named,
                        llvm::ArrayRef<std::string> Threads,
                        const RecordingLimits &Limits, uint64_t Removed);

/// For --force, which runs a program whose functions may be in libraries that
/// it loads later. Prints a line with the Globs of -F and similar options for
/// which no process found a function, and a line with the requests of --args
/// without debug information.
void sayWhatWasNotFound(const OutputDir &Dir, llvm::StringRef Named,
                        llvm::ArrayRef<std::string> Globs,
                        llvm::ArrayRef<std::string> Requests);

/// If other programs preempted Program often, its wall-clock times include waiting for a CPU.
/// Prints that, and notes it in Dir for readers. Named: Dir as the user wrote it.
void sayIfPreempted(llvm::StringRef Program, const OutputDir &Dir, llvm::StringRef Named);

} // namespace patchbay
