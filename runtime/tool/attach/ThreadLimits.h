// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace patchbay {

/// The limit that keeps the process from making a thread: "it has ... mappings, and may have
/// ...". If it is not known, the text lists those that cannot be read. HasBegun: the code
/// that makes the thread was seen to begin. If not, a signal handler may have left it first.
std::string whyNoThread(unsigned Pid, bool HasBegun);

} // namespace patchbay
