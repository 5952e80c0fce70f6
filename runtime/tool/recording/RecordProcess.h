// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `record -p PID`: records processes that run, whatever they were started by.
#ifndef PATCHBAY_TOOL_RECORDPROCESS_H
#define PATCHBAY_TOOL_RECORDPROCESS_H

#include "Rotation.h"
#include "Selection.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace patchbay {

struct ProcessRecording {
  /// Those that are named have to be recorded; of others it is said why they are
  /// not, and one is enough.
  std::vector<pid_t> Named, Others;
  /// What to trace; and the same as in PATCHBAY, when it was looked for in a process,
  /// without the output directory.
  llvm::function_ref<Wanted()> What;
  llvm::function_ref<llvm::Expected<std::string>(const Wanted &)> Options;
  std::string Output;
  std::vector<std::string> Threads;
  bool Follow; // what they fork, too
  bool Force;  // also if there is nothing to trace
  RecordingLimits Limits;
};

/// Until Args, a command, has ended; without one, until a signal asks for the end.
/// Or until all processes have ended. Returns the exit code.
llvm::Expected<int> recordProcesses(const ProcessRecording &R,
                                    llvm::ArrayRef<const char *> Args);

} // namespace patchbay

#endif
