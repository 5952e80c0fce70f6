// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ElfImage.h"
#include "DynamicTable.h"
#include "support/Diagnostics.h"
#include "support/PlainText.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include <algorithm>
#include <cstring>
#include <tuple>

using namespace llvm;
using namespace llvm::object;
using namespace patchbay;

// Limits for the numbers in a file, which may be damaged or hostile. Numbers in real
// files are smaller. A sparse file can have a large size without using disk space.
static constexpr uint64_t MaxRecords = 1 << 24;
static constexpr uint64_t MaxSymbols = 1 << 26;

namespace {
struct Arch {
  uint16_t Machine;
  StringRef Name;
};
} // namespace

static constexpr Arch Archs[] = {
#define X(id, triple, llvm, linux, e_machine, pad) {e_machine, #triple},
    PATCHBAY_ARCH_TABLE(X)
#undef X
};

// Finds the machine in abi.h's table, which has only 64-bit little-endian machines. open()
// refuses the big-endian variant of EM_PPC64.
static const Arch *findArch(uint16_t Machine) {
  const Arch *Found =
      llvm::find_if(Archs, [&](const Arch &A) { return A.Machine == Machine; });
  return Found == std::end(Archs) ? nullptr : Found;
}

bool patchbay::isKnownMachine(uint16_t Machine) { return findArch(Machine); }

//===----------------------------------------------------------------------===//
// SymbolNames
//===----------------------------------------------------------------------===//

// Sorts the symbols by address and, for one address, by the name that a user probably knows
// first: global before weak before local, then fewer leading underscores, then alphabetical
// order. An address has several names because of aliases and identical code folding.
void SymbolNames::sort() {
  auto Key = [](const Symbol &S) {
    unsigned Rank = S.Binding == ELF::STB_GLOBAL ? 0
                    : S.Binding == ELF::STB_WEAK ? 1
                                                 : 2;
    size_t Underscores = std::min(S.Name.find_first_not_of('_'), S.Name.size());
    return std::make_tuple(S.Address, Rank, Underscores, S.Name);
  };
  llvm::sort(Symbols,
             [&](const Symbol &A, const Symbol &B) { return Key(A) < Key(B); });
}

ArrayRef<SymbolNames::Symbol> SymbolNames::symbolsAt(uint64_t Address) const {
  auto First = llvm::partition_point(
      Symbols, [&](const Symbol &S) { return S.Address < Address; });
  return ArrayRef(Symbols)
      .drop_front(First - Symbols.begin())
      .take_while([&](const Symbol &S) { return S.Address == Address; });
}

std::vector<StringRef> SymbolNames::at(uint64_t Address) const {
  std::vector<StringRef> Names;
  // .symtab repeats the names of .dynsym.
  for (const Symbol &S : symbolsAt(Address))
    if (!llvm::is_contained(Names, S.Name))
      Names.push_back(S.Name);
  return Names;
}

bool SymbolNames::defines(StringRef Name) const {
  return llvm::any_of(Symbols, [&](const Symbol &S) { return S.Name == Name; });
}

bool SymbolNames::exports(StringRef Name) const {
  return llvm::any_of(
      Symbols, [&](const Symbol &S) { return S.Exported && S.Name == Name; });
}

bool SymbolNames::stripped() const {
  return llvm::all_of(Symbols, [](const Symbol &S) { return S.Exported; });
}

//===----------------------------------------------------------------------===//
// ElfImage
//===----------------------------------------------------------------------===//

static_assert(std::is_same_v<ElfImage::ELFT, ELF64LE>);

ElfImage::ElfImage() = default;
ElfImage::ElfImage(ElfImage &&) = default;
ElfImage &ElfImage::operator=(ElfImage &&) = default;
ElfImage::~ElfImage() = default;

const ObjectFile &ElfImage::object() const { return *Object; }

const ELFFile<ElfImage::ELFT> &ElfImage::elf() const {
  return Object->getELFFile();
}

uint16_t ElfImage::machine() const { return elf().getHeader().e_machine; }

Error ElfImage::error(const Twine &Message) const {
  return makeError(Twine(Path) + ": " + Message);
}

Error ElfImage::error(Error E) const { return error(toString(std::move(E))); }

Expected<ElfImage> ElfImage::open(StringRef Path) {
  auto File = openRegularFile(Path);
  if (!File)
    return makeError(Path + ": cannot read: " + toString(File.takeError()));
  return read(*File, Path);
}

Expected<ElfImage> ElfImage::read(int File, StringRef Path) {
  ElfImage Image;
  Image.Path = Path.str();
  auto Mapped = MappedFile::map(File, Path);
  if (!Mapped)
    return Image.error("cannot read: " + toString(Mapped.takeError()));
  Image.File = std::move(*Mapped);

  StringRef Data = Image.File.bytes();
  if (!Data.starts_with(ELF::ElfMagic))
    return Image.error("not an ELF file");
  if (Data.size() < sizeof(ELFT::Ehdr))
    return Image.error("the ELF header is truncated");
  if (Data[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      Data[ELF::EI_DATA] != ELF::ELFDATA2LSB)
    return Image.error("not a 64-bit little-endian ELF file, the only kind "
                       "that patchbay supports");

  auto ObjectOr = ELFObjectFile<ELFT>::create(MemoryBufferRef(Data, Image.Path));
  if (!ObjectOr)
    return Image.error(ObjectOr.takeError());
  Image.Object = std::make_unique<ELFObjectFile<ELFT>>(std::move(*ObjectOr));
  if (!findArch(Image.machine()))
    return Image.error("patchbay does not support machine " +
                       Twine(Image.machine()) + " (e_machine)");
  return Image;
}

StringRef ElfImage::machineName() const { return findArch(machine())->Name; }

bool ElfImage::isLinked() const {
  uint16_t Type = elf().getHeader().e_type;
  return Type == ELF::ET_EXEC || Type == ELF::ET_DYN;
}

ArrayRef<uint8_t> ElfImage::buildId() const { return getBuildID(Object.get()); }

Expected<std::optional<std::string>> ElfImage::interpreter() const {
  auto Segments = elf().program_headers();
  if (!Segments)
    return error(Segments.takeError());
  for (const ELFT::Phdr &Segment : *Segments) {
    if (Segment.p_type != ELF::PT_INTERP)
      continue;
    auto Contents = elf().getSegmentContents(Segment);
    if (!Contents)
      return error(Contents.takeError());
    // The path ends with a NUL.
    return toStringRef(*Contents).split('\0').first.str();
  }
  return std::nullopt;
}

// Only loaders export __tls_get_addr(), which finds thread-local storage.
Expected<bool> ElfImage::isLoader() const {
  auto Names = symbolNames();
  if (!Names)
    return Names.takeError();
  return Names->exports("__tls_get_addr");
}

template <class Header>
static Error readNotes(const ElfImage &Image, const Header &Notes,
                       uint64_t Address, uint64_t Offset, uint64_t Align,
                       unsigned Type, size_t MinSize,
                       function_ref<void(ArrayRef<uint8_t>, uint64_t)> Do,
                       Error &E) {
  for (const ElfImage::ELFT::Note &Note : Image.elf().notes(Notes, E)) {
    if (Note.getName() != PATCHBAY_NOTE_NAME || Note.getType() != Type)
      continue;
    ArrayRef<uint8_t> Desc = Note.getDesc(std::max<size_t>(Align, 4));
    if (Desc.size() < MinSize)
      return Image.error("the patchbay note is truncated");
    Do(Desc, Address + (Desc.data() - Image.elf().base() - Offset));
  }
  return Error::success();
}

Error ElfImage::forEachNote(StringRef Name, unsigned Type, size_t MinSize,
                            NoteReader Do) const {
  auto Sections = sectionsNamed(Name);
  if (!Sections)
    return Sections.takeError();
  for (const ELFT::Shdr *S : *Sections) {
    Error Damage = Error::success();
    if (Error E = readNotes(*this, *S, S->sh_addr, S->sh_offset,
                            S->sh_addralign, Type, MinSize, Do, Damage)) {
      consumeError(std::move(Damage));
      return E;
    }
    if (Damage)
      return error(std::move(Damage));
  }
  return Error::success();
}

Error ElfImage::forEachLoadedNote(unsigned Type, size_t MinSize,
                                  NoteReader Do) const {
  auto Segments = elf().program_headers();
  if (!Segments)
    return error(Segments.takeError());
  for (const ELFT::Phdr &S : *Segments) {
    if (S.p_type != ELF::PT_NOTE)
      continue;
    Error Damage = Error::success();
    Error E = readNotes(*this, S, S.p_vaddr, S.p_offset, S.p_align, Type,
                        MinSize, Do, Damage);
    // Stop reading at data that is no note, for example after objcopy removed a note. The
    // runtime stops there, too.
    consumeError(std::move(Damage));
    if (E)
      return E;
  }
  return Error::success();
}

Expected<std::vector<const ElfImage::ELFT::Shdr *>>
ElfImage::sectionsNamed(StringRef Wanted) const {
  auto Sections = elf().sections();
  if (!Sections)
    return error(Sections.takeError());
  std::vector<const ELFT::Shdr *> Found;
  for (const ELFT::Shdr &Section : *Sections) {
    auto Name = elf().getSectionName(Section);
    if (!Name)
      return error(Name.takeError());
    if (*Name == Wanted && Section.sh_type != ELF::SHT_NOBITS)
      Found.push_back(&Section);
  }
  return Found;
}

Expected<uint32_t> ElfImage::abiVersion() const {
  uint32_t Version = PATCHBAY_ABI_VERSION;
  auto Read = [&](ArrayRef<uint8_t> Desc, uint64_t) {
    uint32_t Found = support::endian::read32le(Desc.data());
    if (Found != PATCHBAY_ABI_VERSION)
      Version = Found;
  };
  if (Error E = forEachNote(PATCHBAY_NOTE_SECTION, PATCHBAY_NOTE_ABI,
                            sizeof(patchbay_note), Read))
    return E;
  return Version;
}

Expected<uint32_t> ElfImage::modes() const {
  auto Version = abiVersion();
  if (!Version)
    return Version.takeError();
  if (*Version != PATCHBAY_ABI_VERSION)
    return otherVersion(*Version);
  uint32_t Modes = 0;
  auto Read = [&](ArrayRef<uint8_t> Desc, uint64_t) {
    uint32_t Mode =
        support::endian::read32le(&Desc[offsetof(patchbay_note, mode)]);
    if (Mode < 32)
      Modes |= 1u << Mode;
  };
  if (Error E = forEachNote(PATCHBAY_NOTE_SECTION, PATCHBAY_NOTE_ABI,
                            sizeof(patchbay_note), Read))
    return E;
  return Modes;
}

Error ElfImage::otherVersion(uint32_t Version) const {
  return error("compiled for patchbay ABI version " + Twine(Version) +
               ", this patchbay reads version " + Twine(PATCHBAY_ABI_VERSION));
}

Expected<std::vector<uint64_t>> ElfImage::modules() const {
  std::vector<uint64_t> Modules;
  uint32_t Version = PATCHBAY_ABI_VERSION;
  auto Read = [&](ArrayRef<uint8_t> Desc, uint64_t Address) {
    constexpr size_t Module = offsetof(patchbay_module_note, module);
    uint32_t Found = support::endian::read32le(Desc.data());
    if (Found != PATCHBAY_ABI_VERSION)
      Version = Found;
    Modules.push_back(
        Address + Module +
        int64_t(int32_t(support::endian::read32le(&Desc[Module]))));
  };
  if (Error E = forEachLoadedNote(PATCHBAY_NOTE_MODULE,
                                  sizeof(patchbay_module_note), Read))
    return E;
  // Search the section, since a linker script may omit the notes' segment.
  if (Modules.empty())
    if (Error E =
            forEachNote(PATCHBAY_MODULE_NOTE_SECTION, PATCHBAY_NOTE_MODULE,
                        sizeof(patchbay_module_note), Read))
      return E;
  if (Version != PATCHBAY_ABI_VERSION)
    return otherVersion(Version);
  llvm::sort(Modules);
  Modules.erase(llvm::unique(Modules), Modules.end());
  return Modules;
}

Expected<std::vector<std::string>> ElfImage::sourcesWithoutSlots() const {
  std::vector<std::string> Sources;
  auto Read = [&](ArrayRef<uint8_t> Desc, uint64_t) {
    // The path ends with a NUL.
    Sources.push_back(
        toStringRef(Desc.drop_front(sizeof(patchbay_bitcode_note)))
            .split('\0')
            .first.str());
  };
  if (Error E =
          forEachNote(PATCHBAY_BITCODE_NOTE_SECTION, PATCHBAY_NOTE_BITCODE,
                      sizeof(patchbay_bitcode_note), Read))
    return E;
  return Sources;
}

Expected<std::vector<ElfImage::RecordRange>>
ElfImage::describedRanges() const {
  std::vector<RecordRange> Ranges;
  auto Modules = modules();
  if (!Modules)
    return Modules.takeError();
  if (Modules->empty() || !isLinked())
    return Ranges;
  auto Map = LoadMap::create(*this);
  if (!Map)
    return Map.takeError();
  for (uint64_t Module : *Modules) {
    ArrayRef<uint8_t> Bytes = Map->bytes(Module, PATCHBAY_MODULE_SIZE_MIN);
    if (Bytes.empty())
      continue;
    auto Reference = [&](size_t Field) {
      return Module + Field + support::endian::read64le(&Bytes[Field]);
    };
    uint64_t Start = Reference(offsetof(patchbay_module, sites_start));
    uint64_t Size = Reference(offsetof(patchbay_module, sites_stop)) - Start;
    ArrayRef<uint8_t> Records = Map->bytes(Start, Size);
    if (!Records.empty() &&
        none_of(Ranges, [&](auto &R) { return R.contains(Start); }))
      Ranges.push_back({Start, Records, true});
  }
  return Ranges;
}

Expected<std::vector<std::string>> ElfImage::dynamicStrings(int64_t Tag) const {
  std::vector<std::string> Found;
  auto Table = DynamicTable::create(*this);
  if (!Table)
    return Table.takeError();
  auto Strings = Table->bytes(*this, ELF::DT_STRTAB, Table->value(ELF::DT_STRSZ));
  auto Entries = elf().dynamicEntries();
  if (!Strings || !Entries)
    return error(joinErrors(Strings.takeError(), Entries.takeError()));
  for (const ELFT::Dyn &Entry : *Entries)
    if (Entry.getTag() == Tag && Entry.getVal() < Strings->size())
      Found.push_back(
          toStringRef(Strings->drop_front(Entry.getVal())).split('\0').first.str());
  return Found;
}

Error ElfImage::addRecords(const RecordRange &Range,
                           std::vector<SiteRecord> &Records) const {
  const size_t Size = Range.Bytes.size();
  if (Size % PATCHBAY_RECORD_SIZE)
    return error("section " PATCHBAY_SITES_SECTION " has " + Twine(Size) +
                 " bytes, not a multiple of " + Twine(PATCHBAY_RECORD_SIZE));
  if (Size / PATCHBAY_RECORD_SIZE > MaxRecords - Records.size())
    return error("more than " + Twine(MaxRecords) + " records");
  for (size_t Offset = 0; Offset != Size; Offset += PATCHBAY_RECORD_SIZE) {
    SiteRecord R;
    memcpy(&R.Raw, Range.Bytes.data() + Offset, sizeof(R.Raw));
    // Each reference is relative to the address of its own field.
    uint64_t Address = Range.Address + Offset;
    R.Address = Address;
    R.Described = Range.Described;
    R.Entry = Address + offsetof(patchbay_record, entry) +
              static_cast<int64_t>(R.Raw.entry);
    R.Site = Address + offsetof(patchbay_record, site) +
             static_cast<int64_t>(R.Raw.site);
    Records.push_back(R);
  }
  return Error::success();
}

Expected<std::vector<SiteRecord>> ElfImage::records() const {
  // Fail for another ABI version, which may define another layout.
  if (Error E = modes().takeError())
    return E;
  auto Sections = sectionsNamed(PATCHBAY_SITES_SECTION);
  if (!Sections)
    return Sections.takeError();
  if (!Sections->empty() && elf().getHeader().e_type == ELF::ET_REL)
    return error("an object file, whose records have no addresses yet: link "
                 "it first");
  auto Ranges = describedRanges();
  if (!Ranges)
    return Ranges.takeError();
  // Also search for records by section: without notes, only the module's constructor knows
  // the descriptor.
  auto Modules = modules();
  if (!Modules)
    return Modules.takeError();
  const size_t Described = Ranges->size();
  for (const ELFT::Shdr *Section : *Sections) {
    auto Contents = elf().getSectionContents(*Section);
    if (!Contents)
      return error(Contents.takeError());
    RecordRange Whole = {Section->sh_addr, *Contents, Modules->empty()};
    if (none_of(ArrayRef(*Ranges).take_front(Described), [&](auto &R) {
          return Whole.contains(R.Address) || R.contains(Whole.Address);
        }))
      Ranges->push_back(Whole);
  }
  std::vector<SiteRecord> Records;
  for (const RecordRange &Range : *Ranges)
    if (Error E = addRecords(Range, Records))
      return E;
  llvm::sort(Records, [](const SiteRecord &A, const SiteRecord &B) {
    return std::tie(A.Entry, A.Site) < std::tie(B.Entry, B.Site);
  });
  return Records;
}

Expected<SymbolNames>
ElfImage::symbolNames(ArrayRef<unsigned char> Types) const {
  SymbolNames Names;
  uint64_t Seen = 0;
  auto Add = [&](ArrayRef<ELFT::Sym> Symbols, StringRef Strings,
                 bool Exported) -> Error {
    if (Symbols.size() > MaxSymbols - Seen)
      return error("more than " + Twine(MaxSymbols) + " symbols");
    Seen += Symbols.size();
    for (const ELFT::Sym &Symbol : Symbols) {
      if (Symbol.isUndefined() || !is_contained(Types, Symbol.getType()))
        continue;
      auto Name = Symbol.getName(Strings);
      if (!Name)
        return error(Name.takeError());
      if (!Name->empty())
        Names.add({Symbol.st_value, Symbol.st_size, *Name, Symbol.getBinding(),
                   Symbol.st_other, Exported});
    }
    return Error::success();
  };
  auto Sections = elf().sections();
  if (!Sections)
    return error(Sections.takeError());
  for (const ELFT::Shdr &Section : *Sections) {
    if (Section.sh_type != ELF::SHT_SYMTAB &&
        Section.sh_type != ELF::SHT_DYNSYM)
      continue;
    auto Strings = elf().getStringTableForSymtab(Section);
    if (!Strings)
      return error(Strings.takeError());
    auto Symbols = elf().symbols(&Section);
    if (!Symbols)
      return error(Symbols.takeError());
    if (Error E = Add(*Symbols, *Strings, Section.sh_type == ELF::SHT_DYNSYM))
      return E;
  }
  if (Sections->empty()) {
    auto Table = DynamicTable::create(*this);
    if (!Table)
      return Table.takeError();
    auto Count = Table->countSymbols(*this);
    if (!Count)
      return Count.takeError();
    if (*Count > MaxSymbols)
      return error("more than " + Twine(MaxSymbols) + " symbols");
    auto Symbols = Table->table<ELFT::Sym>(*this, ELF::DT_SYMTAB,
                                           *Count * sizeof(ELFT::Sym));
    if (!Symbols)
      return Symbols.takeError();
    auto Strings =
        Table->bytes(*this, ELF::DT_STRTAB, Table->value(ELF::DT_STRSZ));
    if (!Strings)
      return Strings.takeError();
    if (Error E = Add(*Symbols, toStringRef(*Strings), /*Exported=*/true))
      return E;
  }
  Names.sort();
  return Names;
}

Expected<std::string> patchbay::unslottedText(const ElfImage &Image) {
  auto Sources = Image.sourcesWithoutSlots();
  if (!Sources)
    return Sources.takeError();
  if (Sources->empty())
    return std::string();
  std::string More;
  if (size_t N = Sources->size() - 1)
    More = " and " + counted(N, "more source file");
  return (Twine(Image.path()) + ": code of " + Sources->front() + More +
          " has no slots: it was compiled to bitcode with the plugin, and to "
          "code without it: link with Patchbay's ld.lld and "
          "-Wl,--load-pass-plugin=DIR/patchbay-pass.so")
      .str();
}

Expected<std::string> patchbay::whyNoRecords(const ElfImage &Image) {
  auto Unslotted = unslottedText(Image);
  if (!Unslotted || !Unslotted->empty())
    return Unslotted;
  auto Modes = Image.modes();
  if (!Modes)
    return Modes.takeError();
  if (!(*Modes & (1u << PATCHBAY_MODE_KERNEL)))
    return std::string();
  return Image.path() +
         ": compiled with -fpatchable-function-entry=, so in kernel mode, where "
         "the entries belong to Linux's ftrace: for 'patchbay record' compile "
         "without that option";
}
