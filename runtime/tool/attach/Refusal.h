// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes processes into which nothing can be loaded, before this command changes
// them. The error is one line.
#pragma once

#include "elf/ElfImage.h"
#include "live/ProcessMemory.h"

namespace patchbay {

/// Opens the memory of the process. Fails if this command may not debug the
/// process, or if it cannot be debugged now.
llvm::Expected<ProcessMemory> openProcess(unsigned Pid);

/// Has the process ended, or is it about to?
bool hasEnded(unsigned Pid);

/// Like hasEnded(), for a process that may have closed its descriptors just before its
/// end. Waits at most a fifth of a second.
bool hasEndedSoon(unsigned Pid);

/// A process that ends during the work causes many different errors. judge()
/// replaces them by one about the end.
class EndedMeanwhile {
public:
  explicit EndedMeanwhile(unsigned Pid) : Pid(Pid), WasThere(!hasEnded(Pid)) {}
  /// Returns E, or an error that says the process has ended.
  llvm::Error judge(llvm::Error E) const;

private:
  unsigned Pid;
  bool WasThere;
};

/// Fails if the process cannot or must not load Library.
llvm::Error checkProcess(const ProcessMemory &Memory, const ElfImage &Library);

/// Fails if an ended thread holds the loader's lock. This is the only check for a
/// process that already has Library and loads another library.
llvm::Error checkLoaderLock(const ProcessMemory &Memory);

} // namespace patchbay
