// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that nothing can be loaded into: each is told apart before anything is
// done to it, in one line that says why.
#ifndef PATCHBAY_TOOL_ATTACH_REFUSAL_H
#define PATCHBAY_TOOL_ATTACH_REFUSAL_H

#include "elf/ElfImage.h"
#include "live/ProcessMemory.h"

namespace patchbay {

/// Opens its memory if we may debug it, and if it is one that can be debugged now.
llvm::Expected<ProcessMemory> openProcess(unsigned Pid);

/// Has it ended, or is it about to?
bool hasEnded(unsigned Pid);

/// The same of a process whose descriptors are closed, which is seen a moment before its
/// end; after a fifth of a second at most.
bool hasEndedSoon(unsigned Pid);

/// What goes wrong with a process that ends meanwhile has many reasons, and this one.
class EndedMeanwhile {
public:
  explicit EndedMeanwhile(unsigned Pid) : Pid(Pid), WasThere(!hasEnded(Pid)) {}
  /// E, or that the process has ended since.
  llvm::Error judge(llvm::Error E) const;

private:
  unsigned Pid;
  bool WasThere;
};

/// Fails if the process cannot load Library, or should not.
llvm::Error checkProcess(const ProcessMemory &Memory, const ElfImage &Library);

/// Why none of its threads runs, and what lets it go on: it is stopped, or frozen. Empty
/// if neither.
std::string whyStill(unsigned Pid);

} // namespace patchbay

#endif
