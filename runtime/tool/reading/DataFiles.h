// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the data files of a recording.
#pragma once

#include "support/Descriptor.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace patchbay {

/// The data file of `patchbay import`: no process has this number.
extern const char KernelFile[];

/// The data files in the directory Dir, or Dir itself if it is a data file.
/// Sorted by name, with the kernel's last. Excludes unused spare files.
llvm::Expected<std::vector<std::string>> dataFiles(llvm::StringRef Dir);

/// The command that made the recording; empty if unknown.
std::string commandOf(llvm::StringRef Dir);
/// The recorder's note; empty if there is none.
std::string noteOf(llvm::StringRef Dir);
/// The newest snapshot in a folder of snapshots; empty if Folder is something
/// else.
std::string newestSnapshot(llvm::StringRef Folder);

/// Opens a spare file that is unused, so that its header is incomplete. Returns -1
/// for other files.
Descriptor openUnusedSpare(int Dir, llvm::StringRef File);

} // namespace patchbay
