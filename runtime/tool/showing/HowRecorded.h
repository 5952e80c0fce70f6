// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two recordings that are compared differ in what the programs did, and in how
// they were made.
#ifndef PATCHBAY_TOOL_HOWRECORDED_H
#define PATCHBAY_TOOL_HOWRECORDED_H

#include "reading/Trace.h"

namespace patchbay {

/// "tracer A and B; threshold none and 10 us": which options they were made
/// with, as far as data files say. Empty if there is no difference. Which
/// functions were chosen is known only of files with the same build id.
std::string recordedDifferently(const Trace &A, const Trace &B);

/// As far as the recording has it, else empty.
struct RecordedAs {
  std::string Command;   // "./server --port 80"
  std::string Processes; // "4711 and 2 others"
  std::string Began;     // "2026-11-22 14:45:00"
  std::string Host, Tracer;
};
RecordedAs howRecorded(const Trace &T);

} // namespace patchbay

#endif
