// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finishes a recording with many files, or with limits, when it is over. The
// processes themselves do this while they run (runtime/trace/threads/rotate.h).
#ifndef PATCHBAY_TOOL_ROTATION_H
#define PATCHBAY_TOOL_ROTATION_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace patchbay {

struct RecordingLimits {
  bool Rotates = false;
  uint64_t Keep = 0, MaxSize = 0; // 0: no limit
  uint64_t Recording = 0;         // as in pbd_header, if there is a limit

  /// The option for the processes.
  std::string option() const {
    return Recording ? ",recording=" + std::to_string(Recording) : "";
  }
};

/// Gives final names to files that no process writes to any more, and removes
/// the oldest. Returns how many were removed, including those that processes
/// removed.
uint64_t finishRotation(const std::string &Dir, const RecordingLimits &Limits);

/// Do this many more bytes fit into the limit?
bool hasRoom(const std::string &Dir, const RecordingLimits &Limits, uint64_t Bytes);

/// Removes the counters, which no process uses any more.
void forgetSize(const std::string &Dir);

} // namespace patchbay

#endif
