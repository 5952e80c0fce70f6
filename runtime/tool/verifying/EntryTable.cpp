// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Checks.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::support::endian;
using namespace patchbay;

static constexpr char TableName[] = "__patchable_function_entries";
static constexpr unsigned PointerSize = 8;

/// The value of a pointer when the image is loaded at its own addresses;
/// std::nullopt if it points to another module.
static std::optional<uint64_t>
pointerAt(const ImageView &View, uint64_t Address, ArrayRef<uint8_t> InFile) {
  const auto *R = View.relocations().in(Address, PointerSize);
  if (!R)
    return read64le(InFile.data());
  if (R->Address != Address ||
      R->Type != View.image().elf().getRelativeRelocationType())
    return std::nullopt;
  return R->Addend.value_or(read64le(InFile.data()));
}

/// Is there a pad before the entry, with or without a hash after the pad?
static bool hasPad(const ImageView &View, uint64_t Entry) {
  if (!View.map().isCode(Entry + PATCHBAY_SLOT_OFFSET, PATCHBAY_PREFIX_SIZE))
    return false;
  ArrayRef<uint8_t> Found =
      View.map().bytes(Entry + PATCHBAY_PAD_OFFSET, -PATCHBAY_PAD_OFFSET);
  return any_of(ArrayRef<uint32_t>{0, 1}, [&](uint32_t AnyHash) {
    return Found.drop_back(PATCHBAY_HASH_SIZE) ==
           ArrayRef<uint8_t>(View.form().padAndHash(AnyHash, Found))
               .drop_back(PATCHBAY_HASH_SIZE);
  });
}

/// The entry of a function with a slot, whose patchable NOPs are at Nops,
/// possibly after a landing pad. std::nullopt without a slot.
static std::optional<uint64_t> findEntry(const ImageView &View, uint64_t Nops) {
  // Try the landing pad first: without a hash, a landing pad after the pad would be
  // mistaken for the hash.
  for (const EntryCode &Code : View.form().EntryCodes) {
    uint64_t Entry = Nops - Code.size();
    if (Code.matches(View.map().bytes(Entry, Code.size())) &&
        hasPad(View, Entry))
      return Entry;
  }
  return hasPad(View, Nops) ? std::optional(Nops) : std::nullopt;
}

/// Can the section be a table for patchable_function_entry(N, M, "NAME")? A
/// linked image keeps the name and this flag, unless a linker script moves the
/// table into another section.
static bool canBeTable(const ElfImage::ELFT::Shdr &Section) {
  constexpr uint64_t Flags = ELF::SHF_ALLOC | ELF::SHF_LINK_ORDER;
  return Section.sh_type == ELF::SHT_PROGBITS &&
         (Section.sh_flags & Flags) == Flags;
}

/// Adds entries of functions with a slot. In LLVM's usual table each word must be an
/// entry; other sections may contain anything.
static Error readTable(const ImageView &View,
                       const ElfImage::ELFT::Shdr &Section, bool IsUsual,
                       SetVector<uint64_t> &Entries, Findings &Out) {
  auto Bytes = View.image().elf().getSectionContents(Section);
  if (!Bytes)
    return View.image().error(Bytes.takeError());
  if (IsUsual && Bytes->size() % PointerSize)
    return View.image().error(
        "section " + Twine(TableName) + " has " + Twine(Bytes->size()) +
        " bytes, not a multiple of " + Twine(PointerSize));
  for (size_t Offset = 0; Offset + PointerSize <= Bytes->size();
       Offset += PointerSize) {
    auto Nops =
        pointerAt(View, Section.sh_addr + Offset, Bytes->drop_front(Offset));
    if (Nops && View.map().isCode(*Nops, 1)) {
      if (std::optional<uint64_t> Entry = findEntry(View, *Nops))
        Entries.insert(*Entry);
    } else if (IsUsual) {
      Out.add(TableName, Offset, "entry", "an address of code",
              Nops ? hex(*Nops) : "another module's");
    }
  }
  return Error::success();
}

Expected<unsigned> patchbay::checkEntryTables(const ImageView &View,
                                              bool HasRecords, Findings &Out) {
  auto Sections = View.image().elf().sections();
  if (!Sections)
    return View.image().error(Sections.takeError());
  SetVector<uint64_t> Entries;
  for (const ElfImage::ELFT::Shdr &Section : *Sections) {
    auto Name = View.image().elf().getSectionName(Section);
    if (!Name)
      return View.image().error(Name.takeError());
    const bool IsUsual =
        *Name == TableName && Section.sh_type != ELF::SHT_NOBITS;
    if (!IsUsual && (HasRecords || !canBeTable(Section)))
      continue;
    if (Error E = readTable(View, Section, IsUsual, Entries, Out))
      return E;
  }
  for (uint64_t Entry : Entries) {
    Subject Function{Entry, View.nameAt(Entry)};
    checkSlot(View, Function, Out);
    checkOwned(View, Function, PATCHBAY_SLOT_OFFSET, 0, Out);
  }
  return Entries.size();
}
