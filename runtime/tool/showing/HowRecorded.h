// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes how a recording was made, and the differences between two recordings.
#pragma once

#include "reading/Trace.h"

namespace patchbay {

/// Differences of recorded options: "tracer A and B; threshold none and 10 us". Empty
/// without differences. Compares selected functions only for files with the same build id.
std::string recordedDifferently(const Trace &A, const Trace &B);

/// Fields that the recording lacks are empty.
struct RecordedAs {
  std::string Command;   // "./server --port 80"
  std::string Processes; // "4711 and 2 others"
  std::string Began;     // "2026-11-22 14:45:00"
  std::string Host, Tracer;
};
RecordedAs howRecorded(const Trace &T);

} // namespace patchbay
