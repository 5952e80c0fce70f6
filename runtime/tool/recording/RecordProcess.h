// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `record -p PID`: records running processes, whether or not they were started with the
// runtime.
#pragma once

#include "Rotation.h"
#include "Selection.h"

namespace patchbay {

struct ProcessRecording {
  /// The command fails if a process in Named cannot be recorded. If a process in Others
  /// cannot be recorded, the command prints a warning, and fails if no process is recorded.
  std::vector<pid_t> Named, Others;
  /// What: the functions to trace. Options: the PATCHBAY options for the functions that
  /// were found in a process, without output=.
  llvm::function_ref<Wanted()> What;
  llvm::function_ref<llvm::Expected<std::string>(const Wanted &)> Options;
  std::string Output;
  std::vector<std::string> Threads;
  bool Follow; // record forked children, too
  bool Force;  // record even if there is nothing to trace
  bool HasArena; // this command writes the events of busy threads
  RecordingLimits Limits;
  uint64_t ForNs; // duration of the recording; 0: no limit
};

/// Records until the command Args has ended or, without a command, until a signal such as
/// SIGINT arrives. Ends earlier after ForNs, and when all processes have ended. Returns the
/// exit code.
llvm::Expected<int> recordProcesses(const ProcessRecording &R,
                                    llvm::ArrayRef<const char *> Args);

} // namespace patchbay
