// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Durations on the command line need a unit. Tools disagree about numbers without one:
// uftrace -t means nanoseconds, ftrace's tracing_thresh microseconds, perf stat -I
// milliseconds, and top -d seconds. So a missing unit is an error.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace patchbay {

/// Reads "1.5ms" as nanoseconds. A number without a unit is multiplied by
/// Alone. std::nullopt if Text is no duration.
std::optional<uint64_t> parseNs(llvm::StringRef Text, double Alone);

/// Does the text end with one of the units?
bool hasUnit(llvm::StringRef Text);

/// Reads the value of an option, such as "--min", as nanoseconds. Only 0 needs
/// no unit.
llvm::Expected<uint64_t> readDuration(llvm::StringRef Option,
                                      llvm::StringRef Text);

/// A duration in the format of PATCHBAY: "1500000ns".
std::string durationWord(uint64_t Ns);

} // namespace patchbay
