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

/// "./server --port 80, process 4711; 2026-11-22 14:45:00; function_duration,
/// threshold 10.000 us", as far as the recording has it.
std::string whatWasRecorded(const Trace &T);

} // namespace patchbay

#endif
