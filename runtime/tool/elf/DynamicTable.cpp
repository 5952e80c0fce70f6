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

/// Counts symbols by DT_GNU_HASH. The table has a header, a Bloom filter, buckets, and
/// then one word for each symbol, beginning with the first symbol that is in a bucket.
/// The last word of each bucket is odd.
static Expected<uint64_t> countGnuHash(const DynamicTable &Table,
                                       const ElfImage &Image) {
  using Word = ElfImage::ELFT::Word;
  auto Words = [&](uint64_t Number) {
    return Table.table<Word>(Image, ELF::DT_GNU_HASH, Number * sizeof(Word));
  };
  auto Header = Words(4);
  if (!Header)
    return Header.takeError();
  const uint64_t Buckets = (*Header)[0], First = (*Header)[1],
                 Before = 4 + 2 * uint64_t((*Header)[2]);
  auto Start = Words(Before + Buckets);
  if (!Start)
    return Start.takeError();
  uint64_t Last = 0;
  for (uint32_t Symbol : Start->drop_front(Before))
    Last = std::max<uint64_t>(Last, Symbol);
  if (Last < First)
    return 0;
  while (true) {
    auto All = Words(Before + Buckets + Last - First + 1);
    if (!All)
      return All.takeError();
    ++Last;
    if (All->back() & 1)
      return Last;
  }
}

Expected<uint64_t> DynamicTable::countSymbols(const ElfImage &Image) const {
  if (value(ELF::DT_GNU_HASH))
    return countGnuHash(*this, Image);
  if (!value(ELF::DT_HASH))
    return 0;
  auto Header = table<ElfImage::ELFT::Word>(Image, ELF::DT_HASH, 8);
  if (!Header)
    return Header.takeError();
  return (*Header)[1];
}
