// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SymbolFiles.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace llvm;
using namespace patchbay;

namespace {
/// The contents of .gnu_debuglink: a file name with a NUL, padded to a multiple
/// of four bytes, and a checksum.
struct DebugLink {
  std::string Name;
  uint32_t Crc;
};
} // namespace

static std::optional<DebugLink> debugLink(const ElfImage &Image) {
  auto Sections = expectedToOptional(Image.sectionsNamed(".gnu_debuglink"));
  if (!Sections)
    return std::nullopt;
  if (Sections->empty())
    return std::nullopt;
  auto Bytes = expectedToOptional(Image.elf().getSectionContents(*Sections->front()));
  if (!Bytes)
    return std::nullopt;
  StringRef Text = toStringRef(*Bytes);
  size_t End = Text.find('\0');
  size_t CrcAt = alignTo(End + 1, 4);
  // Refuse a name with a folder, since such a name could refer to any file.
  if (End == StringRef::npos || !End || Text.size() < CrcAt + 4 ||
      Text.take_front(End).contains('/'))
    return std::nullopt;
  return DebugLink{Text.take_front(End).str(),
                   support::endian::read32le(Text.data() + CrcAt)};
}

std::vector<std::string> patchbay::debugFiles(const ElfImage *Image,
                                              StringRef Path, StringRef BuildId,
                                              StringRef Symfs) {
  std::vector<std::string> Files;
  std::string Global = (Symfs + "/usr/lib/debug").str();
  std::string Id = toHex(BuildId, /*LowerCase=*/true);
  if (Id.size() > 2)
    Files.push_back(Global + "/.build-id/" + Id.substr(0, 2) + "/" +
                    Id.substr(2) + ".debug");
  std::optional<DebugLink> Link = Image ? debugLink(*Image) : std::nullopt;
  if (!Link)
    return Files;
  SmallString<256> Whole = Path;
  sys::fs::make_absolute(Whole); // on error Path stays unchanged
  std::string Folder = sys::path::parent_path(Whole).str();
  std::string Beside = Symfs.str() + Folder;
  for (const std::string &In : {Beside, Beside + "/.debug", Global + Folder})
    Files.push_back(In + "/" + Link->Name);
  return Files;
}

bool patchbay::belongsTo(const ElfImage &Debug, const ElfImage *Image,
                         StringRef BuildId) {
  if (!BuildId.empty())
    return toStringRef(Debug.buildId()) == BuildId;
  std::optional<DebugLink> Link = Image ? debugLink(*Image) : std::nullopt;
  const auto &Elf = Debug.elf();
  return Link && crc32(ArrayRef(Elf.base(), Elf.getBufSize())) == Link->Crc;
}

// Loads elfutils' client library at run time, since few systems have it.
std::string patchbay::askDebuginfod(StringRef BuildId) {
  const char *Urls = getenv("DEBUGINFOD_URLS");
  if (!Urls || !*Urls || BuildId.empty())
    return "";
  void *Library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!Library)
    return "";
  using BeginFn = void *();
  using FindFn = int(void *, const unsigned char *, int, char **);
  using EndFn = void(void *);
  auto *Begin = reinterpret_cast<BeginFn *>(dlsym(Library, "debuginfod_begin"));
  auto *Find =
      reinterpret_cast<FindFn *>(dlsym(Library, "debuginfod_find_debuginfo"));
  auto *End = reinterpret_cast<EndFn *>(dlsym(Library, "debuginfod_end"));
  void *Client = Begin && Find && End ? Begin() : nullptr;
  if (!Client)
    return "";
  char *Path = nullptr;
  int File = Find(Client, BuildId.bytes_begin(), BuildId.size(), &Path);
  std::string Found;
  if (File >= 0) {
    close(File);
    Found = Path;
  }
  free(Path);
  End(Client);
  return Found;
}

static std::optional<SymbolFile> readSymbolFile(StringRef Path, const ElfImage *Image,
                                                StringRef BuildId) {
  auto Debug = expectedToOptional(ElfImage::open(Path));
  if (!Debug)
    return std::nullopt;
  if (!belongsTo(*Debug, Image, BuildId))
    return std::nullopt;
  auto Names = expectedToOptional(Debug->symbolNames());
  if (!Names)
    return std::nullopt;
  if (Names->stripped())
    return std::nullopt;
  return SymbolFile{std::move(*Debug), std::move(*Names)};
}

std::optional<SymbolFile> patchbay::findSymbolFile(const ElfImage *Image, StringRef Path,
                                                   StringRef BuildId,
                                                   ArrayRef<std::string> Roots) {
  for (const std::string &Root : Roots)
    for (const std::string &File : debugFiles(Image, Path, BuildId, Root))
      if (auto Found = readSymbolFile(File, Image, BuildId))
        return Found;
  std::string Asked = askDebuginfod(BuildId);
  return Asked.empty() ? std::nullopt : readSymbolFile(Asked, Image, BuildId);
}

// Reads lines "ADDRESS TYPE NAME [MODULE]". All addresses are 0 for users without the
// permission to see them.
void KernelNames::read() {
  IsRead = true;
  const std::string All = fileText("/proc/kallsyms");
  for (StringRef Line : split(All, '\n')) {
    auto [Address, Rest] = Line.split(' ');
    auto [Type, Name] = Rest.split(' ');
    Symbol S;
    if (Address.getAsInteger(16, S.Address) || !S.Address || !Type.equals_insensitive("t"))
      continue;
    S.Name = Name.take_until([](char C) { return C == '\t' || C == ' '; }).str();
    Symbols.push_back(std::move(S));
  }
  llvm::sort(Symbols, [](const Symbol &A, const Symbol &B) {
    return std::tie(A.Address, A.Name) < std::tie(B.Address, B.Name);
  });
}

StringRef KernelNames::at(uint64_t Address, StringRef Of) {
  if (!BootId)
    BootId = StringRef(fileText("/proc/sys/kernel/random/boot_id")).rtrim().str();
  if (Of.empty() || Of != *BootId)
    return "";
  // Read the list of some megabytes only for a recording of this boot.
  if (!IsRead)
    read();
  auto Above = llvm::upper_bound(Symbols, Address, [](uint64_t A, const Symbol &S) {
    return A < S.Address;
  });
  return Above == Symbols.begin() ? "" : StringRef(std::prev(Above)->Name);
}
