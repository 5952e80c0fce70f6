// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `record -p PID`: records running processes, however they were started.
#pragma once

#include "Rotation.h"
#include "Selection.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace patchbay {

struct ProcessRecording {
  /// Named processes must be recorded. For others a failure causes a message,
  /// and one recorded process suffices.
  std::vector<pid_t> Named, Others;
  /// What: the functions to trace. Options: the options of PATCHBAY for these functions
  /// as found in a process, without the output directory.
  llvm::function_ref<Wanted()> What;
  llvm::function_ref<llvm::Expected<std::string>(const Wanted &)> Options;
  std::string Output;
  std::vector<std::string> Threads;
  bool Follow; // also forked children
  bool Force;  // even if there is nothing to trace
  bool HasArena; // this command writes the events of busy threads
  RecordingLimits Limits;
  uint64_t ForNs; // then the recording ends; 0: no limit
};

/// Records until the command Args has ended; without a command, until a signal asks for
/// the end. Ends earlier if the time is up, or all processes have ended. Returns the exit
/// code.
llvm::Expected<int> recordProcesses(const ProcessRecording &R,
                                    llvm::ArrayRef<const char *> Args);

} // namespace patchbay
