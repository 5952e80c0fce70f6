// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "NameFilter.h"
#include "NameForms.h"
#include "patchbay/names.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include <fnmatch.h>

using namespace llvm;
using namespace patchbay;

// The names that select a function: its symbols, with and without the compiler's
// suffixes.
static std::vector<StringRef> linkageNames(ArrayRef<StringRef> Symbols) {
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

// Returns "Cache::get<int>" for "int Cache::get<int>(int)": instances of templates
// begin with their result type, which 'Cache::*' would not match.
static std::string qualifiedName(StringRef Name) {
  std::string Result;
  bool Done = nonMicrosoftDemangle(Name, Result, /*CanHaveLeadingDot=*/true,
                                   /*ParseParams=*/false);
  return Done ? Result : Name.str();
}

// Maximum number of suggestions.
static constexpr size_t MostMeant = 3;

// Does a glob match the last component of a qualified name, such as "get" of
// "svc::Cache::get"? C names have no components.
static bool isLastPart(const std::string &Glob, StringRef Plain) {
  size_t At = Plain.rfind("::");
  return At != StringRef::npos &&
         fnmatch(Glob.c_str(), Plain.substr(At + 2).str().c_str(), 0) == 0;
}

NameFilter::NameFilter(ArrayRef<std::string> Texts) {
  for (const std::string &Text : Texts)
    Globs.push_back({Text, false, {}});
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
    } else if (!G.Matched && G.Meant.size() != MostMeant &&
               StringRef(G.Text).find("::") == StringRef::npos) {
      for (StringRef Name : Names)
        if (std::string Plain = plainName(demangle(Name)); isLastPart(G.Text, Plain))
          G.Meant.insert(std::move(Plain));
    }
  }
  return Result;
}

std::vector<std::string> NameFilter::unmatchedGlobs() const {
  std::vector<std::string> Result;
  for (const Glob &G : Globs)
    if (!G.Matched)
      Result.push_back(G.Text);
  return Result;
}

std::string NameFilter::unmatched() const {
  std::vector<std::string> Texts = unmatchedGlobs();
  return Texts.empty() ? "" : "'" + join(Texts, "', '") + "'";
}

static std::string meantText(const std::set<std::string> &Names) {
  return Names.empty() ? "" : "did you mean '" + join(Names, "' or '") + "'";
}

std::string NameFilter::meant() const {
  for (const Glob &G : Globs)
    if (!G.Matched && !G.Meant.empty())
      return meantText(G.Meant);
  return "";
}

std::string patchbay::meantBy(ArrayRef<std::string> Globs,
                              function_ref<std::string(size_t)> Name, size_t NrNames) {
  std::set<std::string> Meant;
  for (size_t I = 0; I != NrNames && Meant.size() != MostMeant; ++I) {
    std::string Plain = plainName(Name(I));
    if (llvm::any_of(Globs, [&](const std::string &G) { return isLastPart(G, Plain); }))
      Meant.insert(std::move(Plain));
  }
  return meantText(Meant);
}

std::string patchbay::matchHint(StringRef Stripped) {
  if (!Stripped.empty())
    return (Stripped + " has no symbol table, so only its exported functions "
                       "have names: use the file from before it was stripped")
        .str();
  return "'patchbay list' shows the names, and '*part*' matches part of a name";
}
