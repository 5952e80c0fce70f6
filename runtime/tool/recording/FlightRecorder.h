// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes snapshots of a process that records continuously (`record --overwrite`). A
// snapshot is taken after a slow call, after a call of a --stop-at function, at the end of
// the process, on a user's signal, and at intervals. The process and its tracers continue
// meanwhile.
#pragma once

#include "llvm/Support/Error.h"
#include <chrono>
#include <string>
#include <sys/types.h>

namespace patchbay {

struct FlightOptions {
  pid_t Pid;
  std::string Folder; // folder for the snapshots; each snapshot is a recording
  std::string Slower; // value of threshold=; empty: ignore slow calls
  std::chrono::milliseconds Every{0}; // interval; 0: no timer
  /// Maximum number and total size of snapshots. The oldest snapshots are removed. 0: no
  /// limit.
  uint64_t Keep = 0, MaxBytes = 0;
};

/// Takes snapshots until the process ends, or until a signal such as SIGINT arrives. A
/// snapshot gets its final name when it is complete. Returns the exit code.
llvm::Expected<int> keepSnapshots(const FlightOptions &Options);

} // namespace patchbay
