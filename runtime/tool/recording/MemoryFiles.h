// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// File systems in memory: a recording there counts as memory of the program.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>
#include <optional>
#include <sys/types.h>

namespace patchbay {

/// Is the open file or directory in tmpfs or a similar file system?
bool isInMemory(int File);

/// The least memory limit of the process's control groups.
std::optional<uint64_t> memoryLimit(pid_t Process);

/// Warns if Dir is in memory and the process's control group has a memory limit. Path:
/// the path by which this command finds Dir.
void warnOfMemory(llvm::StringRef Dir, const std::string &Path, pid_t Process);

} // namespace patchbay
