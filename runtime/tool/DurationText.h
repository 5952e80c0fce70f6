// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Durations on the command line have a unit. What a number alone stands for
// differs from tool to tool: uftrace -t has nanoseconds, tracing_thresh of
// ftrace microseconds, perf stat -I milliseconds, top -d seconds. So whoever
// leaves the unit out is told to name one.
#ifndef PATCHBAY_TOOL_DURATIONOPTION_H
#define PATCHBAY_TOOL_DURATIONOPTION_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace patchbay {

/// Ns of "1.5ms"; of a number alone, Alone times of it. Nothing if it is
/// neither.
std::optional<uint64_t> parseNs(llvm::StringRef Text, double Alone);

/// Whether there is one of the units at its end.
bool hasUnit(llvm::StringRef Text);

/// Ns of the value of an option, as "--min". 0 needs no unit.
llvm::Expected<uint64_t> readDuration(llvm::StringRef Option,
                                      llvm::StringRef Text);

/// The same, as the runtime is told: "1500000ns".
std::string durationWord(uint64_t Ns);

} // namespace patchbay

#endif
