// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses processes by their names, or by the unit or group that they run in.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <sys/types.h>
#include <vector>

namespace patchbay {

struct ProcessChoice {
  llvm::ArrayRef<std::string> Names;   // as in `ps -o comm`
  llvm::ArrayRef<std::string> Units;   // systemd units; a service needs no
                                       // suffix
  llvm::ArrayRef<std::string> Cgroups; // below /sys/fs/cgroup, with all groups
                                       // below them
};

/// All processes that one of these selects, except this command and its
/// ancestors. Fails if one of them selects none.
llvm::Expected<std::vector<pid_t>> chooseProcesses(const ProcessChoice &Choice);

/// All processes except this command and its ancestors.
std::vector<pid_t> allProcesses();

/// Does a running `patchbay record` name it with -p? It may not have attached yet.
bool isNamedByRecorder(pid_t Process);

/// Its children, and their descendants.
std::vector<pid_t> descendants(pid_t Process);

} // namespace patchbay
