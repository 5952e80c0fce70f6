// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes processes that cannot load the runtime, before this command changes them. Each
// error is one line.
#pragma once

#include "elf/ElfImage.h"
#include "live/ProcessMemory.h"

namespace patchbay {

/// Opens the memory of the process. Fails if this command may not debug the process, or
/// cannot debug it now, for example while the process is stopped.
llvm::Expected<ProcessMemory> openProcess(unsigned Pid);

/// Has the process ended, or is it ending?
bool hasEnded(unsigned Pid);

/// Like hasEnded(), but waits up to a fifth of a second for the end of a process that has
/// just closed its descriptors.
bool hasEndedSoon(unsigned Pid);

/// Replaces errors that a process causes by ending: such errors differ and are misleading.
class EndedMeanwhile {
public:
  explicit EndedMeanwhile(unsigned Pid) : Pid(Pid), WasThere(!hasEnded(Pid)) {}
  /// Returns an error that says the process has ended, or E if it has not ended.
  llvm::Error judge(llvm::Error E) const;

private:
  unsigned Pid;
  bool WasThere;
};

/// Fails if the process cannot or must not load Library.
llvm::Error checkProcess(const ProcessMemory &Memory, const ElfImage &Library);

/// Fails if an ended thread holds the loader's lock. A process that has already loaded
/// Library needs only this check before it loads another library.
llvm::Error checkLoaderLock(const ProcessMemory &Memory);

} // namespace patchbay
