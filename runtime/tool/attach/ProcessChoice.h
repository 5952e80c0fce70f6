// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes by what they are called, or by who started them.
#ifndef PATCHBAY_TOOL_ATTACH_PROCESSCHOICE_H
#define PATCHBAY_TOOL_ATTACH_PROCESSCHOICE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <sys/types.h>
#include <vector>

namespace patchbay {

struct ProcessChoice {
  llvm::ArrayRef<std::string> Names;   // as `ps -o comm` has them
  llvm::ArrayRef<std::string> Units;   // of systemd; a service without a suffix
  llvm::ArrayRef<std::string> Cgroups; // below /sys/fs/cgroup, and all below them
};

/// All processes that one of them means, but this command and what it was started
/// by. Fails if one of them means none.
llvm::Expected<std::vector<pid_t>> chooseProcesses(const ProcessChoice &Choice);

/// Whether its control group, or one above that, is frozen: none of its threads runs
/// then, and no state of them says so.
bool isFrozen(pid_t Process);

/// All but this command and what it was started by.
std::vector<pid_t> allProcesses();

/// Those that it has forked, and that these have forked in their turn.
std::vector<pid_t> descendants(pid_t Process);

} // namespace patchbay

#endif
