// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FittedNames.h"
#include "NamesApart.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace llvm;
using namespace patchbay;

void FittedNames::set(std::vector<std::string> All) {
  if (All == Names)
    return;
  Names = std::move(All);
  Forms.clear();
  Shortest.clear();
  Cut.clear();
}

// Where there is no room for dots either, the function's own name says more
// than any part of it, if no other one is called so.
void FittedNames::findForms() {
  constexpr StringLiteral Dots = "...";
  Forms = allForms(Names, Dots);
  std::map<std::string, const std::string *, std::less<>>
      Owners; // null: several
  std::vector<std::vector<std::string>> Own(Names.size());
  for (size_t I = 0; I != Names.size(); ++I) {
    Own[I].push_back(std::move(Forms[I].back()));
    Forms[I].pop_back();
    StringRef Shortest = Forms[I].back();
    if (Shortest.consume_front(Dots))
      Own[I].insert(Own[I].begin(), Shortest.str());
    for (const auto *Of : {&Forms[I], &Own[I]})
      for (const std::string &Text : *Of) {
        auto [At, IsNew] = Owners.try_emplace(Text, &Names[I]);
        if (!IsNew && At->second && *At->second != Names[I])
          At->second = nullptr;
      }
  }
  for (size_t I = 0; I != Names.size(); ++I)
    for (std::string &Text : Own[I])
      if (Owners[Text] && Text.size() < Forms[I].back().size())
        Forms[I].push_back(std::move(Text));
}

const std::vector<std::string> &FittedNames::cut(size_t Width) {
  if (Shortest.empty())
    Shortest = inForm(Names, NameForm::Differing);
  auto [At, IsNew] = Cut.try_emplace(Width);
  if (IsNew)
    At->second = cutTo(Shortest, Width);
  return At->second;
}

const std::string &FittedNames::in(size_t Name, size_t Width) {
  auto Fits = [&](const std::string &Text) { return Text.size() <= Width; };
  if (Fits(Names[Name]))
    return Names[Name];
  if (Forms.empty())
    findForms();
  auto Form = llvm::find_if(Forms[Name], Fits);
  return Form != Forms[Name].end() ? *Form : cut(Width)[Name];
}
