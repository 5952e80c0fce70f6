// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the dynamic loader finds in an image, by PT_DYNAMIC: all that is left of the tables
// of a file without section headers (-z nosectionheader, llvm-strip --strip-sections).
#ifndef PATCHBAY_TOOL_DYNAMICTABLE_H
#define PATCHBAY_TOOL_DYNAMICTABLE_H

#include "LoadMap.h"
#include <map>

namespace patchbay {

class DynamicTable {
public:
  static llvm::Expected<DynamicTable> create(const ElfImage &Image);

  /// What the tag DT_* is set to; 0 if it is not there.
  uint64_t value(int64_t Tag) const;
  /// The bytes of the table at Tag, which has Size bytes; fails if they are not in the file.
  llvm::Expected<llvm::ArrayRef<uint8_t>> bytes(const ElfImage &Image,
                                                int64_t Tag,
                                                uint64_t Size) const;
  /// The same as elements of a type.
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

private:
  LoadMap Map;
  std::map<int64_t, uint64_t> Values;
};

} // namespace patchbay

#endif
