// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds libpatchbay and libpatchbay-trace in a running process by their ELF
// notes, whatever their files are called.
#pragma once

#include "ProcessMemory.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include <optional>

namespace patchbay {

/// An ELF image whose header is mapped.
struct MappedImage {
  llvm::StringRef Path;
  uint16_t Machine;
  uint64_t Base;
  std::vector<llvm::ELF::Elf64_Phdr> Headers;

  static std::optional<MappedImage> at(const ProcessMemory &Memory,
                                       const ProcessMemory::Mapping &M);
  /// Is the address inside of the image as its loader has mapped it? Pointers of a file
  /// that is only mapped, as by debuggers, or not relocated yet, lead elsewhere.
  bool contains(uint64_t Address) const;
};

/// Calls Found for each of Patchbay's notes of a type whose descriptor has at
/// least MinSize bytes, with the descriptor's address. Stops at an error.
llvm::Error forEachMappedNote(
    const ProcessMemory &Memory, uint32_t Type, uint64_t MinSize,
    llvm::function_ref<llvm::Error(const MappedImage &, uint64_t)> Found);

} // namespace patchbay
