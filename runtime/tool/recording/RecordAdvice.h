// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Advice for verbs that need a recording: how to record a running process.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>
#include <sys/types.h>

namespace patchbay {

/// "'patchbay record -p PID' DOES", or why `record -p` would refuse the process.
std::string recordAdvice(pid_t Pid, llvm::StringRef Does);

} // namespace patchbay
