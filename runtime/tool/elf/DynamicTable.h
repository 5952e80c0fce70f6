// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the dynamic section of an image through PT_DYNAMIC, and the addresses that the
// dynamic loader writes to. In a file without section headers (-z nosectionheader,
// llvm-strip --strip-sections), only the dynamic section leads to a symbol table.
#pragma once

#include "LoadMap.h"
#include <map>

namespace patchbay {

class DynamicTable {
public:
  static llvm::Expected<DynamicTable> create(const ElfImage &Image);

  /// The value of tag DT_*; 0 without the tag.
  uint64_t value(int64_t Tag) const;
  /// The Size bytes of the table at Tag. Fails if the file does not contain all bytes.
  llvm::Expected<llvm::ArrayRef<uint8_t>> bytes(const ElfImage &Image,
                                                int64_t Tag,
                                                uint64_t Size) const;
  /// The table at Tag as an array.
  template <class T>
  llvm::Expected<llvm::ArrayRef<T>> table(const ElfImage &Image, int64_t Tag,
                                          uint64_t Size) const {
    auto Bytes = bytes(Image, Tag, Size);
    if (!Bytes)
      return Bytes.takeError();
    if (reinterpret_cast<uintptr_t>(Bytes->data()) % alignof(T))
      return Image.error("a table of the dynamic section is not aligned");
    return llvm::ArrayRef(reinterpret_cast<const T *>(Bytes->data()),
                          Bytes->size() / sizeof(T));
  }
  /// The number of symbols up to the last symbol that a hash table contains; 0 without
  /// a hash table.
  llvm::Expected<uint64_t> countSymbols(const ElfImage &Image) const;

private:
  LoadMap Map;
  std::map<int64_t, uint64_t> Values;
};

class DynamicRelocations {
public:
  struct Relocation {
    uint64_t Address;
    uint32_t Type;
    /// std::nullopt if the addend is stored at the address (REL, RELR).
    std::optional<uint64_t> Addend;
  };

  static llvm::Expected<DynamicRelocations> create(const ElfImage &Image);

  /// The first relocation that writes to a range; nullptr if no relocation does.
  const Relocation *in(uint64_t Address, uint64_t Size) const;

private:
  std::vector<Relocation> Relocations; // sorted by address
};

} // namespace patchbay
