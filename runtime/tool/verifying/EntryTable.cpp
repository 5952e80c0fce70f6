// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EntryTable.h"
#include "PrefixCheck.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::support::endian;
using namespace patchbay;

static constexpr char TableName[] = "__patchable_function_entries";
static constexpr unsigned PointerSize = 8;

/// The value of a pointer when the image is loaded at its own addresses; none
/// if it points to another module.
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

/// Is the pad there, with or without a hash after it?
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

/// The entry of a function with a slot whose patchable NOPs are at Nops,
/// possibly after a landing pad; none without a slot.
static std::optional<uint64_t> findEntry(const ImageView &View, uint64_t Nops) {
  if (hasPad(View, Nops))
    return Nops;
  for (const EntryCode &Code : View.form().EntryCodes) {
    uint64_t Entry = Nops - Code.size();
    if (Code.matches(View.map().bytes(Entry, Code.size())) &&
        hasPad(View, Entry))
      return Entry;
  }
  return std::nullopt;
}

Expected<unsigned> patchbay::checkEntryTable(const ImageView &View,
                                             Findings &Out) {
  auto Sections = View.image().sectionsNamed(TableName);
  if (!Sections)
    return Sections.takeError();
  unsigned Slots = 0;
  for (const ElfImage::ELFT::Shdr *Section : *Sections) {
    auto Bytes = View.image().elf().getSectionContents(*Section);
    if (!Bytes)
      return View.image().error(Bytes.takeError());
    if (Bytes->size() % PointerSize)
      return View.image().error(
          "section " + Twine(TableName) + " has " + Twine(Bytes->size()) +
          " bytes, not a multiple of " + Twine(PointerSize));
    for (size_t Offset = 0; Offset != Bytes->size(); Offset += PointerSize) {
      auto Nops =
          pointerAt(View, Section->sh_addr + Offset, Bytes->drop_front(Offset));
      if (!Nops || !View.map().isCode(*Nops, 1)) {
        Out.add(TableName, Offset, "entry", "an address of code",
                Nops ? hex(*Nops) : "another module's");
        continue;
      }
      std::optional<uint64_t> Entry = findEntry(View, *Nops);
      if (!Entry)
        continue;
      ++Slots;
      Subject Function{*Entry, View.nameAt(*Entry)};
      checkSlot(View, Function, Out);
      checkOwned(View, Function, PATCHBAY_SLOT_OFFSET, 0, Out);
    }
  }
  return Slots;
}
