// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ShortNames.h"
#include "NameForms.h"
#include "support/PlainText.h"
#include "trace/format/name_parts.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>

using namespace llvm;
using namespace patchbay;

using Indices = std::vector<size_t>;

namespace {
/// Iterates over the parts of a name: see trace/format/name_parts.h.
class NameParts {
public:
  explicit NameParts(StringRef Name) {
    pb_begin_name_parts(&Of, Name.data(), Name.size());
  }
  bool empty() const { return !Of.size; }
  StringRef next() {
    const char *Part = Of.rest;
    return {Part, pb_next_name_part(&Of)};
  }

private:
  pb_name_parts Of;
};
} // namespace

// Is the part after Before a function's parameter list, rather than "(anonymous namespace)"
// or Go's "(*Type)" after a package?
static bool isParameters(StringRef Part, StringRef Before) {
  return pb_is_parameters(Part.data(), Part.size(), Before.empty() ? 0 : Before.back());
}

// Groups different names whose written forms are equal.
static std::vector<Indices> findAlike(ArrayRef<std::string> Names, ArrayRef<std::string> Written) {
  std::map<StringRef, Indices> ByText;
  for (size_t I = 0; I != Names.size(); ++I)
    ByText[Written[I]].push_back(I);
  std::vector<Indices> Result;
  for (auto &[Text, Group] : ByText)
    if (llvm::any_of(Group, [&, First = Names[Group.front()]](size_t I) {
          return Names[I] != First;
        }))
      Result.push_back(Group);
  return Result;
}

// Writes ambiguous names in full, until all written forms are different.
static void useFull(ArrayRef<std::string> Names, ArrayRef<std::string> Full,
                    std::vector<std::string> &Written) {
  for (bool Changed = true; std::exchange(Changed, false);)
    for (const Indices &Group : findAlike(Names, Written))
      for (size_t I : Group)
        Changed |= std::exchange(Written[I], Full[I]) != Full[I];
}

static size_t commonSize(StringRef A, StringRef B) {
  return std::mismatch(A.begin(), A.begin() + std::min(A.size(), B.size()), B.begin()).first -
         A.begin();
}

// Returns "string const*" for "std::string const*".
static std::string dropScopes(StringRef Arguments) {
  std::string Result;
  while (!Arguments.empty()) {
    bool IsScope = Arguments.starts_with("::") && !Result.empty() && pb_is_word(Result.back());
    while (IsScope && !Result.empty() && pb_is_word(Result.back()))
      Result.pop_back();
    Result += Arguments.take_front(IsScope ? 0 : 1);
    Arguments = Arguments.drop_front(IsScope ? 2 : 1);
  }
  return Result;
}

// Keeps only the text in brackets that is between Begin and End. Removes empty brackets.
static std::string dropBrackets(StringRef Text, size_t Begin, size_t End, StringRef Dots,
                                bool WithScopes) {
  std::string Result;
  size_t At = 0;
  for (NameParts Parts(Text); !Parts.empty();) {
    StringRef Part = Parts.next();
    const size_t Of = std::exchange(At, At + Part.size());
    const bool MayGo = !Result.empty() && Part.size() > 2 &&
                       (Part.front() == '<' || isParameters(Part, Result));
    const size_t From = std::max(Begin, Of + 1), To = std::min(End, At - 1);
    if (!MayGo)
      Result += Part;
    else if (From < To)
      Result += (Twine(Part.front()) + (From > Of + 1 ? Dots : "") +
                 (From > Of + 1 && Text[From - 1] == ' ' ? ", " : "") +
                 (WithScopes ? Text.slice(From, To).str() : dropScopes(Text.slice(From, To))) +
                 (To < At - 1 && Text[To] == ',' ? ", " : "") + (To < At - 1 ? Dots : "") +
                 Twine(Part.back()))
                    .str();
    else // also remove the "::" before brackets in Rust's "f::<Type>"
      Result.resize(StringRef(Result).rtrim(':').size());
  }
  return Result;
}

// The length of the result type in front of the function's name.
static size_t resultSize(StringRef Name) {
  std::string Short = withoutParameters(Name);
  size_t At = Name.find(StringRef(Short).take_until([](char C) { return C == '<' || C == '('; }));
  return At == StringRef::npos ? 0 : At;
}

// For names with the same plain name, keeps the arguments that differ. The kept text begins
// at the first difference between any two names, and ends at the first difference between the
// name and its neighbours in sorted order, which are the most similar names.
static void tellApart(ArrayRef<std::string> Names, ArrayRef<std::string> Short,
                      const Indices &Group, StringRef Dots, bool WithScopes,
                      std::vector<std::string> &Plain) {
  const bool InTemplates = llvm::all_of(Group, [&](size_t I) { return Short[I] != Names[I]; });
  std::map<StringRef, Indices> Texts; // sorted: similar names are neighbours
  for (size_t I : Group)
    Texts[InTemplates ? Short[I] : Names[I]].push_back(I);
  const size_t Common = commonSize(Texts.begin()->first, Texts.rbegin()->first);
  for (auto At = Texts.begin(); At != Texts.end(); ++At) {
    StringRef Text = At->first;
    size_t End = At == Texts.begin() ? 0 : commonSize(std::prev(At)->first, Text);
    if (std::next(At) != Texts.end())
      End = std::max(End, commonSize(std::next(At)->first, Text));
    End = std::min(Text.find_first_of("<>(){},", End + 1), Text.size());
    size_t Begin = Text.find_last_of("<({,", Common ? Common - 1 : 0);
    Begin = Begin == StringRef::npos || !Common ? 0 : Begin + 1;
    Begin += Begin < Text.size() && Text[Begin] == ' ';
    const size_t Result = InTemplates ? 0 : std::min(resultSize(Text), Begin);
    for (size_t I : At->second)
      Plain[I] = dropBrackets(Text.drop_front(Result), Begin - Result, End - Result, Dots,
                              WithScopes);
  }
}

void ShortNames::set(std::vector<std::string> All) {
  if (All != Names) {
    Names = std::move(All);
    Forms = {};
    Ends.clear();
    Cut.clear();
  }
}

void ShortNames::findForms() {
  Forms[Whole] = Names;
  for (const std::string &Name : Names) {
    Forms[WithoutParameters].push_back(withoutParameters(Name));
    Forms[Plain].push_back(plainName(Name));
  }
  useFull(Names, Names, Forms[WithoutParameters]);
  for (bool WithScopes : {false, true})
    for (const Indices &Group : findAlike(Names, Forms[Plain]))
      tellApart(Names, Forms[WithoutParameters], Group, Dots, WithScopes, Forms[Plain]);
  useFull(Names, Names, Forms[Plain]);
}

// Positions at which a shortened name may begin: after each "::" outside of brackets.
static Indices beginnings(StringRef Name) {
  Indices Result;
  size_t At = 0, Colons = 0;
  for (NameParts Parts(Name); !Parts.empty();) {
    StringRef Part = Parts.next();
    if (Colons == 2 && At > 2 && Part != ":" && Part != " ")
      Result.push_back(At);
    Colons = Part == ":" ? Colons + 1 : 0;
    At += Part.size();
  }
  return Result;
}

void ShortNames::findEnds() {
  StringMap<const std::string *> Owners; // nullptr: several names have this suffix
  std::vector<std::vector<StringRef>> All;
  for (size_t I = 0; I != Names.size(); ++I) {
    StringRef Name = in(I, Plain);
    std::vector<StringRef> &Of = All.emplace_back();
    for (size_t At : beginnings(Name))
      Of.push_back(Name.drop_front(At));
    for (StringRef End : Of)
      if (auto [At, IsNew] = Owners.try_emplace(End, &Names[I]);
          !IsNew && At->second && *At->second != Names[I])
        At->second = nullptr;
  }
  for (const std::vector<StringRef> &Of : All) {
    Ends.emplace_back();
    for (StringRef End : Of)
      if (Owners.lookup(End))
        Ends.back().push_back(Dots + End.str());
  }
}

// Does a cut at this position keep all identifiers whole?
static bool isEdge(StringRef Text, size_t At) {
  return !At || At >= Text.size() || pb_is_word(Text[At - 1]) != pb_is_word(Text[At]);
}

static std::string dropMiddle(StringRef Text, size_t Size, StringRef Dots) {
  if (Text.size() <= Size)
    return Text.str();
  const size_t Room = Size - Dots.size();
  size_t Head = Text.consume_front(Dots) && Text.contains('<') ? 0 : Room / 2, At = Head;
  while (At && !isEdge(Text, At))
    --At;
  Head = At ? At : Head;
  while (isWithinCharacter(Text, Head))
    --Head;
  size_t Tail = At = Text.size() - (Room - Head);
  while (!isEdge(Text, At))
    ++At;
  Tail = At == Text.size() ? Tail : At;
  while (isWithinCharacter(Text, Tail))
    ++Tail;
  return (Text.take_front(Head) + Dots + Text.drop_front(Tail)).str();
}

std::vector<std::string> ShortNames::cut(size_t Width) const {
  const size_t Size = std::max<size_t>(Width, 12);
  std::vector<std::string> Result;
  for (size_t I = 0; I != Names.size(); ++I) {
    std::vector<std::string> Of = {Forms[Plain][I]};
    append_range(Of, Ends[I]);
    auto At = llvm::find_if(Of, [&](StringRef Text) { return Text.size() <= Size; });
    Result.push_back(At != Of.end() ? *At : dropMiddle(Of.back(), Size, Dots));
  }
  StringMap<std::string> Tags; // used if the text that differs does not fit
  for (const Indices &Group : findAlike(Names, Result))
    for (size_t I : Group) {
      std::string &Tag = Tags.try_emplace(Names[I], "#" + utostr(Tags.size() + 1)).first->second;
      Result[I] = dropMiddle(Dots + own(I), Size - Tag.size(), Dots) + Tag;
    }
  return Result;
}

const std::string &ShortNames::in(size_t Name, Form F) {
  if (F != Whole && Forms[Plain].empty())
    findForms();
  return F == Whole ? Names[Name] : Forms[F][Name];
}

const std::string &ShortNames::fit(size_t Name, size_t Width, Form Longest) {
  for (Form F : {Whole, WithoutParameters, Plain})
    if (F >= Longest && in(Name, F).size() <= Width)
      return in(Name, F);
  if (Ends.empty())
    findEnds();
  for (const std::string &End : Ends[Name])
    if (End.size() <= Width)
      return End;
  if (!Cut.count(Width))
    Cut[Width] = cut(Width);
  return Cut[Width][Name];
}

std::vector<std::string> ShortNames::all(size_t Name) {
  std::vector<std::string> All = {in(Name, WithoutParameters), in(Name, Plain)};
  std::vector<std::string> Result = {Names[Name]};
  if (Ends.empty())
    findEnds();
  append_range(All, Ends[Name]);
  for (const std::string &Text : All)
    if (Text.size() < Result.back().size())
      Result.push_back(Text);
  return Result;
}

std::string ShortNames::own(size_t Name) const {
  std::string PlainName = plainName(Names[Name]);
  Indices All = beginnings(PlainName);
  return PlainName.substr(All.empty() ? 0 : All.back());
}
