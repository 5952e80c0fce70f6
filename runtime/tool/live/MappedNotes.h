// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the command finds libpatchbay and libpatchbay-trace in a running process:
// by an ELF note of theirs, in whatever file they are.
#ifndef PATCHBAY_TOOL_MAPPEDNOTES_H
#define PATCHBAY_TOOL_MAPPEDNOTES_H

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
  /// Whether an address is in the image as its loader has mapped it. Where the
  /// file is merely mapped, as debuggers do, or has not been relocated yet, what
  /// a pointer in it says is something else.
  bool contains(uint64_t Address) const;
};

/// Called with each note of Patchbay's of a type, whose descriptor has MinSize
/// bytes or more, and with where the descriptor is. Stops at an error.
llvm::Error forEachMappedNote(
    const ProcessMemory &Memory, uint32_t Type, uint64_t MinSize,
    llvm::function_ref<llvm::Error(const MappedImage &, uint64_t)> Found);

} // namespace patchbay

#endif
