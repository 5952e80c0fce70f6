// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TracedNames.h"
#include "Diagnostics.h"
#include "NameArchive.h"
#include "NameFilter.h"
#include "SourceNames.h"
#include "SymbolFiles.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace patchbay;

std::string patchbay::moduleKey(const DataModule &M) {
  return M.BuildId.empty() ? "path " + M.Path : "id " + M.BuildId;
}

// Fails if the file is not the one that was traced.
static Expected<ElfImage> openTraced(const DataModule &M, StringRef Symfs) {
  Expected<ElfImage> Image = ElfImage::open((Symfs + M.Path).str());
  // So the kernel names a file that was removed or replaced while the program went on.
  // By now the same may be there again.
  StringRef Path = M.Path;
  if (!Image && !M.BuildId.empty() && Path.consume_back(" (deleted)")) {
    Expected<ElfImage> Again = ElfImage::open((Symfs + Path).str());
    if (Again && toStringRef(Again->buildId()) == M.BuildId) {
      consumeError(Image.takeError());
      return Again;
    }
    consumeError(Again.takeError());
  }
  if (Image && !M.BuildId.empty() && toStringRef(Image->buildId()) != M.BuildId)
    return makeError(Image->path() + ": not the file that was traced (its "
                                     "build id differs)");
  return Image;
}

static std::optional<SymbolNames> allNames(const ElfImage &Image) {
  Expected<SymbolNames> Names = Image.symbolNames();
  if (!Names) {
    consumeError(Names.takeError());
    return std::nullopt;
  }
  return Names->stripped() ? std::nullopt : std::optional(std::move(*Names));
}

static std::optional<ElfImage> openDebugFile(const std::string &Path,
                                             const ElfImage *Image,
                                             StringRef BuildId) {
  Expected<ElfImage> Debug = ElfImage::open(Path);
  if (Debug && belongsTo(*Debug, Image, BuildId))
    return std::move(*Debug);
  consumeError(Debug.takeError());
  return std::nullopt;
}

Error TracedNames::find(const DataModule &M, File &To) const {
  std::string Key = moduleKey(M);
  if (!Sources.Recording.empty()) {
    Expected<bool> Found = readNames(nameArchivePath(Sources.Recording, Key),
                                     Key, To.Archived, To.Symbols);
    if (!Found)
      return Found.takeError();
    if (*Found)
      return Error::success();
  }
  Expected<ElfImage> Image = openTraced(M, Sources.Symfs);
  Error Failure = Image ? Error::success() : Image.takeError();
  if (!Failure) {
    To.Image = std::move(*Image);
    Expected<SymbolNames> Names = To.Image->symbolNames();
    if (Names)
      To.Symbols = std::move(*Names);
    else
      Failure = Names.takeError();
  }
  if (!Failure && !To.Symbols.stripped())
    return Error::success();
  const ElfImage *Traced = To.Image ? &*To.Image : nullptr;
  auto Use = [&](const std::string &Path) {
    std::optional<ElfImage> Debug = openDebugFile(Path, Traced, M.BuildId);
    std::optional<SymbolNames> Names = Debug ? allNames(*Debug) : std::nullopt;
    if (!Names)
      return false;
    // They point into the image.
    To.Image = std::move(*Debug);
    To.Symbols = std::move(*Names);
    return true;
  };
  bool Found = llvm::any_of(
      debugFiles(Traced, M.Path, M.BuildId, Sources.Symfs), Use);
  if (!Found)
    if (std::string Path = askDebuginfod(M.BuildId); !Path.empty())
      Found = Use(Path);
  if (!Found)
    return Failure;
  consumeError(std::move(Failure));
  return Error::success();
}

const SymbolNames &TracedNames::symbols(const DataModule &M) {
  auto [At, New] = Files.try_emplace(moduleKey(M));
  File &F = At->second;
  if (New)
    if (Error E = find(M, F))
      warn(toString(std::move(E)) + ": showing addresses");
  return F.Symbols;
}

std::string TracedNames::function(const DataModule &M, uint64_t Entry) {
  return displayNames(symbols(M), Entry).front();
}

std::string TracedNames::common(const DataModule &M, uint64_t Entry) {
  return commonName(symbols(M), Entry);
}

bool TracedNames::isNamedBy(const DataModule &M, uint64_t Entry,
                            ArrayRef<std::string> Globs) {
  std::vector<StringRef> Symbols = symbols(M).at(Entry);
  return !Symbols.empty() &&
         NameFilter(Globs).match(Symbols) != NameFilter::None;
}

std::string TracedNames::around(const DataModule &M, uint64_t Address) {
  ArrayRef<SymbolNames::Symbol> Symbols = symbols(M).symbols();
  auto After = llvm::upper_bound(
      Symbols, Address,
      [](uint64_t A, const SymbolNames::Symbol &S) { return A < S.Address; });
  if (After == Symbols.begin())
    return "";
  const SymbolNames::Symbol &Found = *std::prev(After);
  // A return address may be that behind a call which does not return.
  if (Address - Found.Address > Found.Size)
    return "";
  return function(M, Found.Address) + "+0x" +
         utohexstr(Address - Found.Address, /*LowerCase=*/true);
}
