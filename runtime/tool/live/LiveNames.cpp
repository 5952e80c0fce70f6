// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LiveNames.h"
#include "elf/Bolt.h"
#include "names/NameFilter.h"
#include "support/Diagnostics.h"
#include "support/PlainText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Path.h"
#include <sys/mman.h>

using namespace llvm;
using namespace patchbay;

const LiveNames::File *LiveNames::file(const ProcessMemory::Mapping &M) {
  auto [I, IsNew] = Files.try_emplace(M.Path);
  File &F = I->second;
  if (!IsNew)
    return F.Image ? &F : nullptr;
  const Descriptor Mapped = Memory.openFile(M);
  if (Mapped < 0)
    return nullptr;
  auto Image = expectedToOptional(ElfImage::read(Mapped, M.Path));
  if (!Image)
    return nullptr;
  auto Names = expectedToOptional(
      FunctionNames::read(*Image, {"/proc/" + utostr(Memory.pid()) + "/root", ""}));
  if (!Names)
    return nullptr;
  if (auto Moved = hasMovedFunctions(*Image))
    F.HasMoved = *Moved;
  else
    consumeError(Moved.takeError());
  F.Image = std::make_unique<ElfImage>(std::move(*Image));
  F.Names = std::move(*Names);
  if (F.Names.stripped() && Stripped.empty())
    Stripped = M.Path;
  return &F;
}

const LiveNames::File *LiveNames::locate(uint64_t &Address) {
  const ProcessMemory::Mapping *M = Memory.mappingAt(Address);
  const File *F = M && StringRef(M->Path).starts_with("/") ? file(*M) : nullptr;
  if (!F)
    return nullptr;
  auto Headers = expectedToOptional(F->Image->elf().program_headers());
  if (!Headers)
    return nullptr;
  uint64_t Offset = Address - M->Start + M->Offset;
  for (const ElfImage::ELFT::Phdr &P : *Headers)
    // The kernel maps whole pages of a segment.
    if (P.p_type == ELF::PT_LOAD && (P.p_flags & ELF::PF_X) &&
        Offset >= P.p_offset && Offset - P.p_offset < P.p_filesz) {
      Address = Offset - P.p_offset + P.p_vaddr;
      return F;
    }
  return nullptr;
}

std::vector<StringRef> LiveNames::functionAt(uint64_t Entry) {
  const File *F = locate(Entry);
  return F ? F->Names.at(Entry) : std::vector<StringRef>();
}

std::string LiveNames::nameOf(uint64_t Entry) {
  uint64_t InFile = Entry;
  const File *F = locate(InFile);
  return F ? displayNames(F->Names.known(), InFile).front()
           : "0x" + utohexstr(Entry, /*LowerCase=*/true);
}

bool LiveNames::isMoved(uint64_t Entry) {
  const File *F = locate(Entry);
  return F && F->HasMoved && patchbay::isMoved(F->Names.own(), Entry);
}

std::string LiveNames::fileAt(uint64_t Address) const {
  const ProcessMemory::Mapping *M = Memory.mappingAt(Address);
  if (!M || M->Path.empty())
    return "?";
  return printable(sys::path::filename(M->Path));
}

std::string LiveNames::describe(uint64_t Address) {
  std::string In = " (" + fileAt(Address) + ")";
  uint64_t InFile = Address;
  const File *F = locate(InFile);
  if (!F)
    return "0x" + utohexstr(Address, /*LowerCase=*/true) + In;
  ArrayRef<SymbolNames::Symbol> Symbols = F->Names.known().symbols();
  auto Behind = partition_point(Symbols, [&](const SymbolNames::Symbol &S) {
    return S.Address <= InFile;
  });
  if (Behind == Symbols.begin() ||
      (std::prev(Behind)->Address != InFile &&
       InFile - std::prev(Behind)->Address >= std::prev(Behind)->Size))
    return "0x" + utohexstr(Address, /*LowerCase=*/true) + In;
  uint64_t Start = std::prev(Behind)->Address;
  std::string Name = displayNames(F->Names.known(), Start).front();
  if (Start != InFile)
    Name += "+0x" + utohexstr(InFile - Start, /*LowerCase=*/true);
  return Name + In;
}

namespace {
/// The names that match a glob. Each name of a function is matched separately, since the
/// process arms all functions with a name.
struct Matches {
  explicit Matches(StringRef Glob) : Filter(Glob.str()) {}
  void add(StringRef Name);

  NameFilter Filter;
  std::set<std::string> Names;
  bool ByDemangledName = false;
};
} // namespace

void Matches::add(StringRef Name) {
  if (NameFilter::Match Match = Filter.match(Name)) {
    Names.insert(Name.str());
    ByDemangledName |= Match == NameFilter::ByDemangledName;
  }
}

// Adds a function that matches by a name in its debug file. Adds its name in the file itself,
// since the process knows only that name.
static void addKnownApart(const ElfImage &Image, const FunctionNames &Names,
                          uint64_t Entry, Matches &Found) {
  if (Found.Filter.match(Names.known().at(Entry)) == NameFilter::None)
    return;
  Found.Names.insert(Names.nameForRuntime(Image, Entry));
  Found.ByDemangledName = true;
}

static Error addFile(int File, StringRef Path, StringRef Root, Matches &Found,
                     bool &IsStripped) {
  auto Image = ElfImage::read(File, Path);
  if (!Image)
    return Image.takeError();
  auto Records = Image->records();
  if (!Records)
    return Records.takeError();
  if (Records->empty())
    return Error::success();
  auto Names = FunctionNames::read(*Image, {Root.str(), ""});
  if (!Names)
    return Names.takeError();
  IsStripped = Names->stripped();
  const bool HasTable = !Names->own().stripped();
  const bool IsKnownApart = &Names->known() != &Names->own();
  for (const SiteRecord &R : *Records) {
    for (const SymbolNames::Symbol &S : Names->own().symbolsAt(R.Entry))
      // The process reads .dynsym only if there is no .symtab.
      if (!HasTable || !S.Exported)
        Found.add(S.Name);
    if (IsKnownApart)
      addKnownApart(*Image, *Names, R.Entry, Found);
  }
  return Error::success();
}

static void warnOfMangledOnly(StringRef Glob, const Twine &Why) {
  warn(Why + ": '" + Glob + "' is matched with mangled names only");
}

LiveSelection::LiveSelection(int Pid, StringRef Glob) : Pid(Pid) {
  if (Glob.empty())
    return;
  auto Memory = ProcessMemory::open(Pid);
  if (!Memory) {
    HasMatches = true; // unknown, since the process's files cannot be read
    warnOfMangledOnly(Glob, toString(Memory.takeError()));
    return;
  }
  Matches Found(Glob);
  for (const ProcessMemory::Mapping *M : Memory->codeOfFiles()) {
    const Descriptor Mapped = Memory->openFile(*M);
    if (Mapped < 0) {
      Gone = M->Path;
      continue;
    }
    bool IsStripped = false;
    // Ignore files that cannot be parsed, since libpatchbay cannot use them either.
    consumeError(addFile(Mapped, M->Path, "/proc/" + std::to_string(Pid) + "/root", Found,
                         IsStripped));
    if (IsStripped)
      Stripped = M->Path;
  }
  HasMatches = !Found.Names.empty();
  Meant = Found.Filter.meant();
  if (Found.ByDemangledName && !writeFile(Found.Names))
    warnOfMangledOnly(Glob, "no memory for names");
}

// Writes the names to a file, since a packet may be too small.
bool LiveSelection::writeFile(const std::set<std::string> &Names) {
  std::string Text;
  for (const std::string &Name : Names)
    Text += Name + '\0';
  File = memfd_create("patchbay-names", MFD_CLOEXEC);
  if (File >= 0 &&
      write(File, Text.data(), Text.size()) == ssize_t(Text.size()))
    return true;
  File = {};
  return false;
}

std::string LiveSelection::hint() const {
  if (!Meant.empty())
    return "; " + printable(Meant);
  if (!Stripped.empty())
    return "; " + matchHint(printable(Stripped));
  if (!Gone.empty())
    return "; function names of " + printable(Gone) +
           " are unknown: the file was replaced or removed";
  return "; see names in: patchbay list -p " + std::to_string(Pid);
}
