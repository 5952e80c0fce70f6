// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An image by address: the bytes that the loader maps, and the ranges that are code. Checks
// all data, since the file is untrusted.
#pragma once

#include "ElfImage.h"

namespace patchbay {

class LoadMap {
public:
  /// Fails if segments overlap or exceed the file.
  static llvm::Expected<LoadMap> create(const ElfImage &Image);

  /// The file's bytes for a range of addresses. Empty unless one segment has file bytes for
  /// the whole range.
  llvm::ArrayRef<uint8_t> bytes(uint64_t Address, uint64_t Size) const;

  /// Is the range in the file, within one executable segment and one section of code?
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

  std::vector<Segment> Segments; // sorted by address
  std::vector<CodeSection> CodeSections;
};

} // namespace patchbay
