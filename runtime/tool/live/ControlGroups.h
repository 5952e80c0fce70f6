// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control groups of processes (cgroups(7)).
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <string>
#include <sys/types.h>
#include <vector>

namespace patchbay {

/// The text of /proc/PID/Name; empty if it cannot be read.
std::string readProc(pid_t Process, const llvm::Twine &Name);

/// The mount points of hierarchies: one at /sys/fs/cgroup, or several below it
/// (cgroups(7), "Cgroups version 2"). Wanted: a type; empty: all.
std::vector<std::string> cgroupMounts(llvm::StringRef Wanted = "");

/// Is its control group, or a parent group, frozen? Then none of its threads
/// runs, and their states do not show it.
bool isFrozen(pid_t Process);

} // namespace patchbay
