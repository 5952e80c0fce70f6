// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses processes by name, systemd unit or control group.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <sys/types.h>
#include <vector>

namespace patchbay {

struct ProcessChoice {
  llvm::ArrayRef<std::string> Names;   // names as in `ps -o comm`
  llvm::ArrayRef<std::string> Units;   // systemd units; ".service" may be omitted
  llvm::ArrayRef<std::string> Cgroups; // paths below /sys/fs/cgroup; subgroups
                                       // are included
};

/// All processes that match an entry of Choice, except this command and its ancestors.
/// Fails if an entry matches no process.
llvm::Expected<std::vector<pid_t>> chooseProcesses(const ProcessChoice &Choice);

/// All processes except this command and its ancestors.
std::vector<pid_t> allProcesses();

/// Does a running `patchbay record` have this process in -p? `record` may not have attached
/// yet.
bool isNamedByRecorder(pid_t Process);

/// The children of the process, and all their descendants.
std::vector<pid_t> descendants(pid_t Process);

} // namespace patchbay
