// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TracedNames.h"
#include "Diagnostics.h"
#include "SourceNames.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace patchbay;

std::string patchbay::moduleKey(const DataModule &M) {
  return M.BuildId.empty() ? "path " + M.Path : "id " + M.BuildId;
}

// Fails if the file is not the one that was traced.
static Expected<ElfImage> openTraced(const DataModule &M) {
  Expected<ElfImage> Image = ElfImage::open(M.Path);
  if (Image && !M.BuildId.empty() && toStringRef(Image->buildId()) != M.BuildId)
    return makeError(Twine(M.Path) + ": not the file that was traced (its "
                                     "build id differs)");
  return Image;
}

// Where distributions and debuginfod clients keep what strip(1) took.
static Expected<ElfImage> openDebugFile(const DataModule &M) {
  std::string Id = toHex(M.BuildId, /*LowerCase=*/true);
  if (Id.size() < 3)
    return makeError("no build id");
  return ElfImage::open("/usr/lib/debug/.build-id/" + Id.substr(0, 2) + "/" +
                        Id.substr(2) + ".debug");
}

const SymbolNames &TracedNames::symbols(const DataModule &M) {
  auto [At, New] = Files.try_emplace(moduleKey(M));
  File &F = At->second;
  if (!New)
    return F.Symbols;

  Expected<ElfImage> Image = openTraced(M);
  Error Failure = Image ? Error::success() : Image.takeError();
  if (!Failure) {
    F.Image = std::move(*Image);
    Expected<SymbolNames> Names = F.Image->symbolNames();
    if (Names)
      F.Symbols = std::move(*Names);
    else
      Failure = Names.takeError();
  }
  if (!Failure && !F.Symbols.stripped())
    return F.Symbols;
  if (Expected<ElfImage> Debug = openDebugFile(M)) {
    Expected<SymbolNames> Names = Debug->symbolNames();
    if (Names && !Names->stripped()) {
      // Its names point into the image.
      F.Image = std::move(*Debug);
      F.Symbols = std::move(*Names);
      consumeError(std::move(Failure));
      return F.Symbols;
    }
    if (!Names)
      consumeError(Names.takeError());
  } else {
    consumeError(Debug.takeError());
  }
  if (Failure)
    warn(toString(std::move(Failure)) + ": showing addresses");
  return F.Symbols;
}

std::string TracedNames::function(const DataModule &M, uint64_t Entry) {
  return displayNames(symbols(M), Entry).front();
}

std::string TracedNames::common(const DataModule &M, uint64_t Entry) {
  return commonName(symbols(M), Entry);
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
