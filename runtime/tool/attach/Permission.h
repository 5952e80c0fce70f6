// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why the kernel does not let us debug a process, and what would (ptrace(2),
// "Ptrace access mode checking").
#ifndef PATCHBAY_TOOL_ATTACH_PERMISSION_H
#define PATCHBAY_TOOL_ATTACH_PERMISSION_H

#include "llvm/Support/Error.h"
#include <sys/types.h>

namespace patchbay {

/// Of the error that ptrace(2) or open(2) has returned.
llvm::Error whyNotPermitted(pid_t Process, int Errno);

} // namespace patchbay

#endif
