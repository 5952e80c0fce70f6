// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TracedNames.h"
#include "names/FunctionNames.h"
#include "names/NameArchive.h"
#include "names/NameFilter.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace patchbay;

std::string patchbay::moduleKey(const DataModule &M) {
  return M.BuildId.empty() ? "path " + M.Path : "id " + M.BuildId;
}

Expected<ElfImage> patchbay::openTraced(StringRef Path, StringRef BuildId,
                                        StringRef Symfs) {
  Expected<ElfImage> Image = ElfImage::open((Symfs + Path).str());
  // The kernel adds " (deleted)" to the path of a file that was removed or replaced while
  // the program ran. The same file may exist again.
  if (!Image && !BuildId.empty() && Path.consume_back(" (deleted)")) {
    Expected<ElfImage> Again = ElfImage::open((Symfs + Path).str());
    if (Again && toStringRef(Again->buildId()) == BuildId) {
      consumeError(Image.takeError());
      return Again;
    }
    consumeError(Again.takeError());
  }
  if (Image && !BuildId.empty() && toStringRef(Image->buildId()) != BuildId)
    return makeError(Image->path() + ": not the file that was traced (its "
                                     "build id differs)");
  return Image;
}

// Returns symbols that point into Names.
static SymbolNames symbolsOf(const RecordedNames &Names) {
  SymbolNames Symbols;
  // Recorded names have no sizes.
  for (const auto &[Entry, Name] : Names.all())
    Symbols.add({Entry, /*Size=*/0, Name, ELF::STB_GLOBAL, /*Other=*/0,
                 /*Exported=*/false});
  Symbols.sort();
  return Symbols;
}

// Is the file the recorded module? Without a build ID, compares the recorded names: a
// rebuilt file has other names or addresses.
static bool fitsRecorded(const DataModule &M, const SymbolNames &Symbols) {
  return !M.BuildId.empty() || !M.Names ||
         all_of(M.Names->all(), [&](const auto &Recorded) {
           return is_contained(Symbols.at(Recorded.first), Recorded.second);
         });
}

Error TracedNames::find(const DataModule &M, File &To) const {
  std::string Key = moduleKey(M);
  if (!Sources.Recording.empty()) {
    Expected<bool> Found = readNames(nameArchivePath(Sources.Recording, Key),
                                     Key, To.Archived, To.Symbols);
    if (!Found)
      return Found.takeError();
    if (*Found && fitsRecorded(M, To.Symbols))
      return Error::success();
    To.Symbols = {};
  }
  Expected<ElfImage> Image = openTraced(M.Path, M.BuildId, Sources.Symfs);
  Error Failure = Image ? Error::success() : Image.takeError();
  if (!Failure) {
    To.Image = std::move(*Image);
    Expected<SymbolNames> Names = To.Image->symbolNames();
    if (Names)
      To.Symbols = std::move(*Names);
    else
      Failure = Names.takeError();
    if (!Failure && !fitsRecorded(M, To.Symbols)) {
      Failure = makeError(M.Path + ": not the file that was traced (its names differ)");
      To.Image.reset();
    }
  }
  if (!Failure && !To.Symbols.stripped())
    return Error::success();
  const ElfImage *Traced = To.Image ? &*To.Image : nullptr;
  auto Found = findSymbolFile(Traced, M.Path, M.BuildId, Sources.Symfs);
  if (!Found)
    return Failure;
  To.Image = std::move(Found->Image);
  To.Symbols = std::move(Found->Names);
  consumeError(std::move(Failure));
  return Error::success();
}

TracedNames::File &TracedNames::fileOf(const DataModule &M) {
  auto [At, New] = Files.try_emplace(
      {moduleKey(M), M.BuildId.empty() ? M.Names : nullptr});
  if (New)
    if (Error E = find(M, At->second))
      At->second.Missing = toString(std::move(E));
  return At->second;
}

const SymbolNames &TracedNames::symbols(const DataModule &M) {
  File &F = fileOf(M);
  if (F.Missing.empty())
    return F.Symbols;
  if (M.Names) {
    auto [At, New] = Recorded.try_emplace(M.Names);
    if (New)
      At->second = symbolsOf(*M.Names);
    return At->second;
  }
  if (!std::exchange(F.Warned, true))
    warn(F.Missing + ": showing addresses");
  return F.Symbols;
}

bool TracedNames::areOnlyRecorded(const DataModule &M) {
  return !fileOf(M).Missing.empty() && M.Names;
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
  // Include the address after the function's end: if the last instruction calls a noreturn
  // function, this address is the return address.
  if (Address - Found.Address > Found.Size)
    return "";
  return function(M, Found.Address) + "+0x" +
         utohexstr(Address - Found.Address, /*LowerCase=*/true);
}
