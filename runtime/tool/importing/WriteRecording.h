// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a kernel's trace like a recording of a process by `patchbay record`,
// so that all verbs can read it.
#ifndef PATCHBAY_TOOL_WRITERECORDING_H
#define PATCHBAY_TOOL_WRITERECORDING_H

#include "KernelTrace.h"

namespace patchbay {

/// Writes the data file of one process, the kernel, and the names of functions into the
/// existing directory Dir. Source: the name of the text. Realtime: the nanoseconds by
/// which the time of day was ahead of the kernel's clock; 0: unknown.
llvm::Error writeRecording(const std::string &Dir, llvm::StringRef Source,
                           const KernelTrace &Trace, int64_t Realtime);

} // namespace patchbay

#endif
