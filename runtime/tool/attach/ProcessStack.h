// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads stacks of stopped threads in a running process.
#pragma once

#include "LoadedModules.h"
#include "elf/Unwinder.h"
#include "llvm/Support/MathExtras.h"
#include <array>
#include <cstring>
#include <map>
#include <memory>

namespace patchbay {

class ProcessStack : public UnwindSource {
public:
  ProcessStack(const ProcessMemory &Memory, const LoadedModules &Modules)
      : Memory(Memory), Modules(Modules) {}
  /// Reads each constant page only once. A thread is stopped for a shorter time if the
  /// tables that its stack needs were read before.
  bool read(uint64_t Address, void *Bytes, size_t Size) const override {
    if (const char *Known = page(Address, Size)) {
      memcpy(Bytes, Known, Size);
      return true;
    }
    return Memory.read(Address, Bytes, Size);
  }
  using UnwindSource::read;
  uint64_t frameHeader(uint64_t Code) const override {
    const LoadedModule *Module = Modules.at(Code);
    return Module ? Module->FrameHeader : 0;
  }
  // Pointer authentication codes are in bits that are the same in all addresses
  // of the process. The process's stack is in the upper half of its addresses.
  uint64_t withoutSignature(uint64_t ReturnAddress) const override {
    const auto &All = Memory.mappings();
    return All.empty() ? ReturnAddress
                       : ReturnAddress & llvm::maskTrailingOnes<uint64_t>(
                                             llvm::Log2_64_Ceil(All.back().End));
  }

private:
  static constexpr uint64_t PageSize = LoadedModule::PageSize;
  using Page = std::array<char, PageSize>;

  const char *page(uint64_t Address, size_t Size) const {
    uint64_t Start = llvm::alignDown(Address, PageSize);
    if (Address - Start + Size > PageSize)
      return nullptr;
    auto [At, IsNew] = Pages.try_emplace(Start);
    if (IsNew && Modules.isConstant(Start)) {
      At->second = std::make_unique<Page>();
      if (!Memory.read(Start, At->second->data(), PageSize))
        At->second = nullptr;
    }
    return At->second ? At->second->data() + (Address - Start) : nullptr;
  }

  const ProcessMemory &Memory;
  const LoadedModules &Modules;
  // Null: the page may change, so it is not kept.
  mutable std::map<uint64_t, std::unique_ptr<Page>> Pages;
};

} // namespace patchbay
