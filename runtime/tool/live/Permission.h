// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells why the kernel forbids debugging a process, and how to allow it
// (ptrace(2), "Ptrace access mode checking").
#pragma once

#include "llvm/Support/Error.h"
#include <sys/types.h>

namespace patchbay {

/// Errno: the error of ptrace(2) or open(2).
llvm::Error whyNotPermitted(pid_t Process, int Errno);

} // namespace patchbay
