// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LiveNames.h"
#include "elf/Bolt.h"
#include "names/SourceNames.h"
#include "support/PlainText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Path.h"

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
  auto Image = ElfImage::read(Mapped, M.Path);
  if (!Image) {
    consumeError(Image.takeError());
    return nullptr;
  }
  auto Names = FunctionNames::read(
      *Image, {"/proc/" + utostr(Memory.pid()) + "/root", ""});
  if (!Names) {
    consumeError(Names.takeError());
    return nullptr;
  }
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
  auto Headers = F->Image->elf().program_headers();
  if (!Headers) {
    consumeError(Headers.takeError());
    return nullptr;
  }
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
