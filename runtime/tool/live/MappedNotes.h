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
  /// Is the address within the image as its loader has mapped it? It is not for
  /// pointers of a file that is not relocated yet, or that something other than the
  /// loader has mapped, such as a debugger.
  bool contains(uint64_t Address) const;
};

/// Calls Found with the address of each descriptor of at least MinSize bytes,
/// among Patchbay's notes of this type. Stops at an error.
llvm::Error forEachMappedNote(
    const ProcessMemory &Memory, uint32_t Type, uint64_t MinSize,
    llvm::function_ref<llvm::Error(const MappedImage &, uint64_t)> Found);

} // namespace patchbay
