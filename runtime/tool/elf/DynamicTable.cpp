// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DynamicTable.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace llvm;
using namespace patchbay;

Expected<DynamicTable> DynamicTable::create(const ElfImage &Image) {
  DynamicTable Result;
  auto Map = LoadMap::create(Image);
  if (!Map)
    return Map.takeError();
  Result.Map = std::move(*Map);
  auto Entries = Image.elf().dynamicEntries();
  if (!Entries)
    return Image.error(Entries.takeError());
  for (const ElfImage::ELFT::Dyn &Entry : *Entries)
    Result.Values.insert({Entry.d_tag, Entry.d_un.d_val});
  return Result;
}

uint64_t DynamicTable::value(int64_t Tag) const {
  auto I = Values.find(Tag);
  return I == Values.end() ? 0 : I->second;
}

Expected<ArrayRef<uint8_t>> DynamicTable::bytes(const ElfImage &Image,
                                                int64_t Tag,
                                                uint64_t Size) const {
  if (!Size)
    return ArrayRef<uint8_t>();
  ArrayRef<uint8_t> Bytes = Map.bytes(value(Tag), Size);
  if (Bytes.empty())
    return Image.error("a table of the dynamic section lies outside of the file");
  return Bytes;
}
