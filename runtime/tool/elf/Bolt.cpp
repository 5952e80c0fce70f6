// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bolt.h"

using namespace llvm;
using namespace patchbay;

static Expected<bool> hasSection(const ElfImage &Image, StringRef Name) {
  auto Found = Image.sectionsNamed(Name);
  if (!Found)
    return Found.takeError();
  return !Found->empty();
}

Expected<bool> patchbay::hasMovedFunctions(const ElfImage &Image) {
  return hasSection(Image, ".bolt.org.text");
}

Expected<bool> patchbay::isWrittenByBolt(const ElfImage &Image) {
  // llvm-bolt writes no note with -bolt-info=0.
  auto Noted = hasSection(Image, ".note.bolt_info");
  if (!Noted || *Noted)
    return Noted;
  return hasMovedFunctions(Image);
}

// Is this the name of a jump to a moved function, such as "main.org.0"?
static bool isLeftBehind(StringRef Name) {
  StringRef Rest = Name.rtrim("0123456789");
  return Rest != Name && Rest.ends_with(".org.");
}

bool patchbay::isMoved(const SymbolNames &Functions, uint64_t Entry) {
  return llvm::all_of(
      Functions.symbolsAt(Entry),
      [](const SymbolNames::Symbol &S) { return isLeftBehind(S.Name); });
}

Error patchbay::removeMoved(const ElfImage &Image, const SymbolNames &Functions,
                            std::vector<SiteRecord> &Records) {
  auto Moved = hasMovedFunctions(Image);
  if (!Moved)
    return Moved.takeError();
  if (*Moved)
    llvm::erase_if(Records, [&](const SiteRecord &R) {
      return isMoved(Functions, R.Entry);
    });
  return Error::success();
}

std::string patchbay::movedText(const ElfImage &Image,
                                const SymbolNames &Functions, size_t Moved,
                                size_t All) {
  std::string What =
      Functions.stripped()
          ? "was rewritten by llvm-bolt and has no symbol table, which is needed to find the "
            "functions that it moved"
          : ("was rewritten by llvm-bolt, which moved " + Twine(Moved) +
             " of its " + Twine(All) +
             " functions away from where their records point")
                .str();
  return Image.path() + ": " + What +
         ": moved functions cannot be traced; record the file from before llvm-bolt instead";
}
