// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Snapshots of a process that records without end (`record --overwrite`), taken when
// something has happened: a call took too long, a function of --stop-at was called, the
// process ended, somebody sent a signal, or time has passed. The process goes on
// meanwhile, and its tracers, too.
#ifndef PATCHBAY_TOOL_RECORDING_FLIGHTRECORDER_H
#define PATCHBAY_TOOL_RECORDING_FLIGHTRECORDER_H

#include "llvm/Support/Error.h"
#include <chrono>
#include <string>
#include <sys/types.h>

namespace patchbay {

struct FlightOptions {
  pid_t Pid;
  std::string Folder; // of snapshots, each a recording
  std::string Slower; // as threshold=; empty: no call is too slow
  std::chrono::milliseconds Every{0}; // 0: never
  /// The oldest snapshots are removed when there are more, or they take more bytes.
  /// 0: no limit.
  uint64_t Keep = 0, MaxBytes = 0;
};

/// Until the process ends, or a signal asks for the end. Each snapshot is in the folder
/// under its name only when it is complete. Returns the exit code.
llvm::Expected<int> keepSnapshots(const FlightOptions &Options);

} // namespace patchbay

#endif
