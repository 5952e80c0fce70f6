// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The differences in how two compared recordings were made.
#pragma once

#include "reading/Trace.h"

namespace patchbay {

/// "tracer A and B; threshold none and 10 us": differences of options, as far
/// as data files have them. Empty if there are none. The chosen functions are
/// compared only for files with the same build id.
std::string recordedDifferently(const Trace &A, const Trace &B);

/// As far as the recording has it; otherwise empty.
struct RecordedAs {
  std::string Command;   // "./server --port 80"
  std::string Processes; // "4711 and 2 others"
  std::string Began;     // "2026-11-22 14:45:00"
  std::string Host, Tracer;
};
RecordedAs howRecorded(const Trace &T);

} // namespace patchbay
