// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FunctionNames.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace patchbay;

Expected<FunctionNames> FunctionNames::read(const ElfImage &Image,
                                            ArrayRef<std::string> Roots) {
  FunctionNames Result;
  auto Own = Image.symbolNames();
  if (!Own)
    return Own.takeError();
  Result.Own = std::move(*Own);
  if (!Roots.empty() && Result.Own.stripped())
    Result.Apart = findSymbolFile(&Image, Image.path(),
                                  toStringRef(Image.buildId()), Roots);
  return Result;
}

std::vector<StringRef> FunctionNames::at(uint64_t Entry) const {
  std::vector<StringRef> Names = known().at(Entry);
  for (StringRef Name : Own.at(Entry))
    if (!is_contained(Names, Name))
      Names.push_back(Name);
  return Names;
}

std::string FunctionNames::nameForRuntime(const ElfImage &Image,
                                          uint64_t Entry) const {
  if (std::vector<StringRef> Names = Own.at(Entry); !Names.empty())
    return Names.front().str();
  std::string Module = Image.buildId().empty()
                           ? Image.path()
                           : toHex(Image.buildId(), /*LowerCase=*/true);
  return "@" + Module + "+" + utohexstr(Entry, /*LowerCase=*/true);
}
