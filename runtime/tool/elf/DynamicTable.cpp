// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DynamicTable.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace llvm;
using namespace patchbay;

Expected<DynamicTable> DynamicTable::create(const ElfImage &Image) {
  DynamicTable Result;
  if (Error E = LoadMap::create(Image).moveInto(Result.Map))
    return std::move(E);
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

// R_*_NONE, which writes nothing, has number 0 on every machine.
static constexpr uint32_t NoRelocation = 0;

// Nearly all dynamic relocations of 64-bit machines write this many bytes.
static constexpr uint64_t WrittenSize = 8;

using AddRelocation =
    function_ref<void(uint64_t, uint32_t, std::optional<uint64_t>)>;

static Error addFromTable(const ElfImage &Image, AddRelocation Add) {
  auto Table = DynamicTable::create(Image);
  if (!Table)
    return Table.takeError();
  const auto &Elf = Image.elf();
  for (auto [Tag, SizeTag] : {std::pair(ELF::DT_RELA, ELF::DT_RELASZ),
                              std::pair(ELF::DT_JMPREL, ELF::DT_PLTRELSZ)}) {
    auto Relas = Table->table<ElfImage::ELFT::Rela>(Image, Tag,
                                                    Table->value(SizeTag));
    if (!Relas)
      return Relas.takeError();
    for (const auto &R : *Relas)
      Add(R.r_offset, R.getType(/*isMips64EL=*/false), R.r_addend);
  }
  auto Relrs = Table->table<ElfImage::ELFT::Relr>(
      Image, ELF::DT_RELR, Table->value(ELF::DT_RELRSZ));
  if (!Relrs)
    return Relrs.takeError();
  for (const auto &R : Elf.decode_relrs(*Relrs))
    Add(R.r_offset, R.getType(false), std::nullopt);
  return Error::success();
}

Expected<DynamicRelocations> DynamicRelocations::create(const ElfImage &Image) {
  DynamicRelocations Result;
  auto Add = [&](uint64_t Address, uint32_t Type,
                 std::optional<uint64_t> Addend) {
    if (Type != NoRelocation)
      Result.Relocations.push_back({Address, Type, Addend});
  };

  const auto &Elf = Image.elf();
  auto Sections = Elf.sections();
  if (!Sections)
    return Image.error(Sections.takeError());
  if (Sections->empty())
    if (Error E = addFromTable(Image, Add))
      return E;
  for (const ElfImage::ELFT::Shdr &Section : *Sections) {
    // Skip relocations of --emit-relocs, which the loader does not apply.
    if (!(Section.sh_flags & ELF::SHF_ALLOC))
      continue;
    if (Section.sh_type == ELF::SHT_RELA) {
      auto Relas = Elf.relas(Section);
      if (!Relas)
        return Image.error(Relas.takeError());
      for (const auto &R : *Relas)
        Add(R.r_offset, R.getType(/*isMips64EL=*/false), R.r_addend);
    } else if (Section.sh_type == ELF::SHT_REL) {
      auto Rels = Elf.rels(Section);
      if (!Rels)
        return Image.error(Rels.takeError());
      for (const auto &R : *Rels)
        Add(R.r_offset, R.getType(false), std::nullopt);
    } else if (Section.sh_type == ELF::SHT_RELR) {
      auto Relrs = Elf.relrs(Section);
      if (!Relrs)
        return Image.error(Relrs.takeError());
      for (const auto &R : Elf.decode_relrs(*Relrs))
        Add(R.r_offset, R.getType(false), std::nullopt);
    } else if (is_contained({ELF::SHT_CREL, ELF::SHT_ANDROID_REL,
                             ELF::SHT_ANDROID_RELA, ELF::SHT_ANDROID_RELR},
                            Section.sh_type)) {
      return Image.error("dynamic relocations in a form that 'verify' does not "
                         "read: link without --pack-dyn-relocs=android");
    }
  }
  llvm::sort(Result.Relocations, [](const Relocation &A, const Relocation &B) {
    return A.Address < B.Address;
  });
  return Result;
}

const DynamicRelocations::Relocation *
DynamicRelocations::in(uint64_t Address, uint64_t Size) const {
  uint64_t First = Address - std::min(Address, WrittenSize - 1);
  auto I = llvm::partition_point(
      Relocations, [&](const Relocation &R) { return R.Address < First; });
  return I != Relocations.end() &&
                 (I->Address < Address || I->Address - Address < Size)
             ? &*I
             : nullptr;
}
