// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Snapshots of a process that records continuously (`record --overwrite`). An
// event triggers each: a slow call, a call of a --stop-at function, the end of
// the process, a user's signal, or a timer. The process and its tracers run on
// meanwhile.
#pragma once

#include "llvm/Support/Error.h"
#include <chrono>
#include <string>
#include <sys/types.h>

namespace patchbay {

struct FlightOptions {
  pid_t Pid;
  std::string Folder; // for snapshots, each a recording
  std::string Slower; // as threshold=; empty: no call is too slow
  std::chrono::milliseconds Every{0}; // 0: never
  /// Limits for snapshots: the oldest ones are removed. 0: no limit.
  uint64_t Keep = 0, MaxBytes = 0;
};

/// Runs until the process ends, or a signal asks for the end. Each snapshot
/// gets its name in the folder when it is complete. Returns the exit code.
llvm::Expected<int> keepSnapshots(const FlightOptions &Options);

} // namespace patchbay
