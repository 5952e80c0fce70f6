// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Snapshots of a process that records continuously (`record --overwrite`). Each
// is triggered by an event: a slow call, a call of a --stop-at function, the
// end of the process, a user's signal, or a timer. The process and its tracers
// are not stopped.
#pragma once

#include "llvm/Support/Error.h"
#include <chrono>
#include <string>
#include <sys/types.h>

namespace patchbay {

struct FlightOptions {
  pid_t Pid;
  std::string Folder; // folder for the snapshots, each of which is a recording
  std::string Slower; // value of threshold=; empty: ignore slow calls
  std::chrono::milliseconds Every{0}; // interval; 0: no timer
  /// Maximum number and size of snapshots: the oldest ones are removed. 0: no
  /// limit.
  uint64_t Keep = 0, MaxBytes = 0;
};

/// Runs until the process ends, or a signal asks for the end. Each snapshot is
/// renamed into the folder when it is complete. Returns the exit code.
llvm::Expected<int> keepSnapshots(const FlightOptions &Options);

} // namespace patchbay
