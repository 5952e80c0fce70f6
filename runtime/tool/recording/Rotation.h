// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recording in many files, and one with limits, when it is over: what the processes did
// themselves meanwhile (runtime/trace/rotate.h).
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

  /// What the processes are told of that.
  std::string option() const {
    return Recording ? ",recording=" + std::to_string(Recording) : "";
  }
};

/// Gives their final names to files that nobody writes to any more, and removes the
/// oldest. Returns how many were removed, by the processes, too.
uint64_t finishRotation(const std::string &Dir, const RecordingLimits &Limits);

/// Whether so many bytes more are within the limit.
bool hasRoom(const std::string &Dir, const RecordingLimits &Limits, uint64_t Bytes);

/// Nobody counts any more.
void forgetSize(const std::string &Dir);

} // namespace patchbay

#endif
