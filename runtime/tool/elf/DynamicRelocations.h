// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The addresses of an image that the dynamic loader writes to.
#pragma once

#include "ElfImage.h"

namespace patchbay {

class DynamicRelocations {
public:
  struct Relocation {
    uint64_t Address;
    uint32_t Type;
    /// std::nullopt if the addend is stored at the address (REL, RELR).
    std::optional<uint64_t> Addend;
  };

  static llvm::Expected<DynamicRelocations> create(const ElfImage &Image);

  /// The first relocation that writes to a range; nullptr if there is none.
  const Relocation *in(uint64_t Address, uint64_t Size) const;

private:
  std::vector<Relocation> Relocations; // sorted by address
};

} // namespace patchbay
