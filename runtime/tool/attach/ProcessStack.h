// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks of a process that runs, whose thread stands still meanwhile.
#ifndef PATCHBAY_TOOL_ATTACH_PROCESSSTACK_H
#define PATCHBAY_TOOL_ATTACH_PROCESSSTACK_H

#include "LoadedModules.h"
#include "Unwinder.h"
#include "llvm/Support/MathExtras.h"

namespace patchbay {

class ProcessStack : public UnwindSource {
public:
  ProcessStack(const ProcessMemory &Memory, const LoadedModules &Modules)
      : Memory(Memory), Modules(Modules) {}
  bool read(uint64_t Address, void *Bytes, size_t Size) const override {
    return Memory.read(Address, Bytes, Size);
  }
  using UnwindSource::read;
  uint64_t frameHeader(uint64_t Code) const override {
    const LoadedModule *Module = Modules.at(Code);
    return Module ? Module->FrameHeader : 0;
  }
  // Signatures are in the bits that addresses of the process do not have, and its stack
  // is in the upper half of these.
  uint64_t withoutSignature(uint64_t ReturnAddress) const override {
    const auto &All = Memory.mappings();
    return All.empty() ? ReturnAddress
                       : ReturnAddress & llvm::maskTrailingOnes<uint64_t>(
                                             llvm::Log2_64_Ceil(All.back().End));
  }

private:
  const ProcessMemory &Memory;
  const LoadedModules &Modules;
};

} // namespace patchbay

#endif
