// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An image by address: the bytes that the loader maps, and which of them are
// code. Nothing in the file is trusted.
#ifndef PATCHBAY_TOOL_LOADMAP_H
#define PATCHBAY_TOOL_LOADMAP_H

#include "ElfImage.h"

namespace patchbay {

class LoadMap {
public:
  /// Fails if segments overlap or are not in the file.
  static llvm::Expected<LoadMap> create(const ElfImage &Image);

  /// What the file holds for a range of addresses; empty if any of it is not
  /// in the file, or not in one segment.
  llvm::ArrayRef<uint8_t> bytes(uint64_t Address, uint64_t Size) const;

  /// Whether bytes() has the range, and it is in one executable segment and
  /// one section of code.
  bool isCode(uint64_t Address, uint64_t Size) const;

private:
  struct Segment {
    uint64_t Address;
    llvm::ArrayRef<uint8_t> Bytes;
    bool Executable;
  };
  struct CodeSection {
    uint64_t Address;
    uint64_t Size;
  };
  const Segment *find(uint64_t Address, uint64_t Size) const;

  std::vector<Segment> Segments; // by address
  std::vector<CodeSection> CodeSections;
};

} // namespace patchbay

#endif
