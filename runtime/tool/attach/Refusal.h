// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes processes into which nothing can be loaded, before this command changes
// them. One line tells why.
#pragma once

#include "elf/ElfImage.h"
#include "live/ProcessMemory.h"

namespace patchbay {

/// Opens its memory if this command may debug it, and if it can be debugged now.
llvm::Expected<ProcessMemory> openProcess(unsigned Pid);

/// Has it ended, or is it about to?
bool hasEnded(unsigned Pid);

/// The same for a process that closes its descriptors a moment before its end. Waits at
/// most a fifth of a second.
bool hasEndedSoon(unsigned Pid);

/// A process that ends meanwhile causes many different errors. This reports its
/// end instead.
class EndedMeanwhile {
public:
  explicit EndedMeanwhile(unsigned Pid) : Pid(Pid), WasThere(!hasEnded(Pid)) {}
  /// Returns E, or that the process has ended since.
  llvm::Error judge(llvm::Error E) const;

private:
  unsigned Pid;
  bool WasThere;
};

/// Fails if the process cannot or must not load Library.
llvm::Error checkProcess(const ProcessMemory &Memory, const ElfImage &Library);

/// The check for a process that has Library and loads another one: fails if an ended
/// thread holds the loader's lock.
llvm::Error checkLoaderLock(const ProcessMemory &Memory);

} // namespace patchbay
