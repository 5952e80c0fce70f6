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

/// The contents of /proc/PID/Name; empty if they cannot be read.
std::string readProc(pid_t Process, const llvm::Twine &Name);

/// Mount points of control groups: one at /sys/fs/cgroup, or several below it
/// (cgroups(7), "Cgroups version 2"). Wanted: the type of file system; empty:
/// all types.
std::vector<std::string> cgroupMounts(llvm::StringRef Wanted = "");

/// Is the process's control group, or a parent group, frozen? Then none of its
/// threads runs, although their states do not show that.
bool isFrozen(pid_t Process);

} // namespace patchbay
