// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Checks.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::support::endian;
using namespace patchbay;

using Section = ElfImage::ELFT::Shdr;

static void checkSection(const ImageView &View, const Section &S,
                         ArrayRef<uint8_t> InFile, Findings &Out) {
  constexpr StringLiteral Name = PATCHBAY_SITES_SECTION;
  constexpr unsigned Align = alignof(patchbay_record);
  if (S.sh_addr % Align || S.sh_addralign % Align)
    Out.add(Name, 0, "address and alignment", "multiples of " + Twine(Align),
            hex(S.sh_addr) + " and " + Twine(S.sh_addralign));
  constexpr uint64_t Given = ELF::SHF_ALLOC | ELF::SHF_WRITE;
  if ((S.sh_flags & Given) != ELF::SHF_ALLOC)
    Out.add(Name, 0, "flags", "a section that is loaded and read-only",
            hex(S.sh_flags));
  ArrayRef<uint8_t> Loaded = View.map().bytes(S.sh_addr, S.sh_size);
  if (Loaded.data() != InFile.data())
    Out.add(Name, 0, "contents", "the bytes that the loader maps",
            "other bytes of the file");
  if (const auto *R = View.relocations().in(S.sh_addr, S.sh_size))
    Out.add(Name, R->Address - S.sh_addr, "the dynamic loader changes records",
            "no relocation", "one of type " + Twine(R->Type));
}

// Checks the stubs, but not the targets of their jumps, which the loader sets.
static void checkStubs(const ImageView &View, uint64_t Stubs, uint64_t Links,
                       Findings &Out) {
  const uint64_t Trampolines = Links + PATCHBAY_X86_64_TRAMPOLINES_OFFSET;
  CodeBytes Expected = View.form().stubs(Stubs, Trampolines, false);
  ArrayRef<uint8_t> Found = View.map().bytes(Stubs, Expected.size());
  // Older compilers began all stubs with landing pads.
  if (Found.size() >= 4 && read32le(Found.data()) == PATCHBAY_X86_64_ENDBR64)
    Expected = View.form().stubs(Stubs, Trampolines, true);
  for (size_t At = 0; At < Expected.size(); At += PATCHBAY_X86_64_STUB_SIZE) {
    auto Stub = [&](ArrayRef<uint8_t> Bytes) {
      return Bytes.drop_front(std::min(At, Bytes.size()))
          .take_front(PATCHBAY_X86_64_STUB_SIZE);
    };
    if (Stub(Found) != Stub(Expected))
      Out.add(PATCHBAY_X86_64_STUBS_SYMBOL, At, "stub", hex(Stub(Expected)),
              hex(Stub(Found)));
  }
}

/// Checks a module descriptor. Sites: the section of records; nullptr if a linker script has
/// renamed it.
static void checkDescriptor(const ImageView &View, uint64_t Address,
                            const Section *Sites, Findings &Out) {
  constexpr StringLiteral Name = PATCHBAY_MODULE_SYMBOL;
  ArrayRef<uint8_t> Bytes = View.map().bytes(Address, PATCHBAY_MODULE_SIZE_MIN);
  if (Bytes.empty()) {
    Out.add(Name, 0, "address", "a descriptor in the file", hex(Address));
    return;
  }
  auto Check = [&](size_t Field, StringRef What, uint64_t Expected,
                   uint64_t Found) {
    if (Found != Expected)
      Out.add(Name, Field, What, hex(Expected), hex(Found));
  };
  // A reference is relative to the address of its own field.
  auto Reference = [&](size_t Field) {
    return Address + Field + read64le(&Bytes[Field]);
  };
  constexpr size_t Version = offsetof(patchbay_module, abi_version);
  constexpr size_t Size = offsetof(patchbay_module, size);
  constexpr size_t Start = offsetof(patchbay_module, sites_start);
  constexpr size_t Stop = offsetof(patchbay_module, sites_stop);
  Check(Version, "abi_version", PATCHBAY_ABI_VERSION,
        read32le(&Bytes[Version]));
  // Accept a descriptor without the newer fields.
  if (read32le(&Bytes[Size]) != PATCHBAY_MODULE_SIZE_MIN)
    Check(Size, "size", sizeof(patchbay_module), read32le(&Bytes[Size]));
  if (Sites) {
    Check(Start, "sites_start", Sites->sh_addr, Reference(Start));
    Check(Stop, "sites_stop", Sites->sh_addr + Sites->sh_size, Reference(Stop));
  } else if (Reference(Start) % alignof(patchbay_record)) {
    Out.add(Name, Start, "sites_start",
            "a multiple of " + Twine(alignof(patchbay_record)),
            hex(Reference(Start)));
  } else if (const auto *R = View.relocations().in(
                 Reference(Start), Reference(Stop) - Reference(Start))) {
    Out.add(Name, Start, "the dynamic loader changes records", "no relocation",
            "one of type " + Twine(R->Type));
  }
  Check(offsetof(patchbay_module, flags), "flags", 0,
        read64le(&Bytes[offsetof(patchbay_module, flags)]));
  checkStubs(View, Reference(offsetof(patchbay_module, stubs)),
             Reference(offsetof(patchbay_module, links)), Out);
  if (const auto *R = View.relocations().in(Address, Bytes.size()))
    Out.add(Name, R->Address - Address,
            "the dynamic loader changes the descriptor", "no relocation",
            "one of type " + Twine(R->Type));
}

Error patchbay::checkModule(const ImageView &View, Findings &Out) {
  auto Sections = View.image().sectionsNamed(PATCHBAY_SITES_SECTION);
  if (!Sections)
    return Sections.takeError();
  auto Modules = View.image().modules();
  if (!Modules)
    return Modules.takeError();
  if (Sections->empty() && Modules->empty())
    return Error::success();

  for (const Section *S : *Sections) {
    auto Bytes = View.image().elf().getSectionContents(*S);
    if (!Bytes)
      return View.image().error(Bytes.takeError());
    checkSection(View, *S, *Bytes, Out);
  }
  // Only one section is permitted, since the runtime finds one section per module.
  if (Sections->size() > 1)
    Out.add(PATCHBAY_SITES_SECTION, 0, "sections of that name", "1",
            Twine(Sections->size()));

  // All notes point to one descriptor. If objcopy made hidden symbols local, the notes point to
  // several equal descriptors, of which the runtime uses one.
  if (Modules->empty())
    Out.add(PATCHBAY_MODULE_NOTE_SECTION, 0,
            "descriptors that loaded notes point to", "1", "0");
  for (uint64_t Module : *Modules)
    checkDescriptor(View, Module,
                    Sections->empty() ? nullptr : Sections->front(), Out);
  return Error::success();
}

static constexpr char TableName[] = "__patchable_function_entries";
static constexpr unsigned PointerSize = 8;

/// The value of a pointer when the image is loaded at its own addresses; std::nullopt for a
/// pointer to another module.
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

/// Does a pad precede the entry, with or without a hash between them?
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

/// The entry of a function whose patchable NOPs are at Nops, possibly after a landing pad.
/// std::nullopt if the function has no slot.
static std::optional<uint64_t> findEntry(const ImageView &View, uint64_t Nops) {
  // Try the landing pad first: in a function without a hash, the landing pad after the pad could
  // be mistaken for a hash.
  for (const EntryCode &Code : View.form().EntryCodes) {
    uint64_t Entry = Nops - Code.size();
    if (Code.matches(View.map().bytes(Entry, Code.size())) &&
        hasPad(View, Entry))
      return Entry;
  }
  return hasPad(View, Nops) ? std::optional(Nops) : std::nullopt;
}

/// Can the section be a table for patchable_function_entry(N, M, "NAME")? A linked image keeps
/// the name and SHF_LINK_ORDER, unless a linker script moves the table into another section.
static bool canBeTable(const ElfImage::ELFT::Shdr &Section) {
  constexpr uint64_t Flags = ELF::SHF_ALLOC | ELF::SHF_LINK_ORDER;
  return Section.sh_type == ELF::SHT_PROGBITS &&
         (Section.sh_flags & Flags) == Flags;
}

/// Adds entries of functions with a slot. Each word in LLVM's default table must be an entry; a
/// word in another section may have any value.
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
