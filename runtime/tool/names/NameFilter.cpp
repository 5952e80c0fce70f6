// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "NameFilter.h"
#include "NameForms.h"
#include "patchbay/names.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include <fnmatch.h>

using namespace llvm;
using namespace patchbay;

std::vector<StringRef> patchbay::linkageNames(ArrayRef<StringRef> Symbols) {
  std::vector<StringRef> Names = Symbols.vec();
  for (StringRef Symbol : Symbols) {
    size_t Length = patchbay_source_name_length(Symbol.data(), Symbol.size());
    if (Length != Symbol.size())
      Names.push_back(Symbol.take_front(Length));
    if (const char *Unique =
            patchbay_unique_name(Symbol.data(), Symbol.size(), &Length))
      Names.push_back(StringRef(Unique, Length));
  }
  return Names;
}

// "Cache::get<int>" of "int Cache::get<int>(int)": in front of a template's
// instance stands the type of its result, which 'Cache::*' does not match.
static std::string qualifiedName(StringRef Name) {
  std::string Result;
  bool Done = nonMicrosoftDemangle(Name, Result, /*CanHaveLeadingDot=*/true,
                                   /*ParseParams=*/false);
  return Done ? Result : Name.str();
}

NameFilter::NameFilter(ArrayRef<std::string> Texts) {
  for (const std::string &Text : Texts)
    Globs.push_back({Text});
}

NameFilter::Match NameFilter::match(ArrayRef<StringRef> Symbols) {
  if (Globs.empty())
    return ByLinkageName;
  std::vector<StringRef> Names = linkageNames(Symbols);
  Match Result = None;
  for (Glob &G : Globs) {
    auto Matches = [&](const std::string &Name) {
      return fnmatch(G.Text.c_str(), Name.c_str(), 0) == 0;
    };
    if (G.Text == "*" || llvm::any_of(Names, [&](StringRef Name) {
          return Matches(Name.str());
        })) {
      G.Matched = true;
      Result = ByLinkageName;
    } else if (llvm::any_of(Names, [&](StringRef Name) {
                 return isNamedBy(demangle(Name), G.Text) ||
                        isMatchedBy(qualifiedName(Name), G.Text);
               })) {
      G.Matched = true;
      if (Result == None)
        Result = ByDemangledName;
    }
  }
  return Result;
}

std::string NameFilter::unmatched() const {
  std::string Result;
  for (const Glob &G : Globs)
    if (!G.Matched)
      Result += (Result.empty() ? "'" : ", '") + G.Text + "'";
  return Result;
}

std::string patchbay::matchHint(StringRef Stripped) {
  if (!Stripped.empty())
    return (Stripped + " has no symbol table, so only its exported functions "
                       "have names: use the file from before it was stripped")
        .str();
  return "'patchbay list' shows the names, and '*part*' matches part of a name";
}
