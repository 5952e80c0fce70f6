// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "NamesApart.h"
#include "NameForms.h"
#include "NameParts.h"
#include "OnlyDifferences.h"
#include "PlainText.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <map>

using namespace llvm;
using namespace patchbay;

// The indices of those that are written in the same way, though they differ.
static std::vector<std::vector<size_t>> alike(ArrayRef<std::string> Names,
                                              ArrayRef<std::string> Written) {
  std::map<StringRef, std::vector<size_t>> ByText;
  for (size_t I = 0; I != Names.size(); ++I)
    ByText[Written[I]].push_back(I);
  std::vector<std::vector<size_t>> Result;
  for (auto &[Text, Group] : ByText)
    if (llvm::any_of(Group, [&, First = Group.front()](size_t I) {
          return Names[I] != Names[First];
        }))
      Result.push_back(std::move(Group));
  return Result;
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

static std::string formOf(StringRef Name, NameForm Form) {
  if (Form == NameForm::Whole)
    return Name.str();
  return Form == NameForm::Plain ? plainName(Name) : withoutParameters(Name);
}

static std::vector<std::string> inOwnForm(ArrayRef<std::string> Names,
                                          NameForm Form) {
  std::vector<std::string> Result;
  for (const std::string &Name : Names)
    Result.push_back(formOf(Name, Form));
  while (Form != NameForm::Whole) {
    Form = NameForm(int(Form) - 1);
    for (const std::vector<size_t> &Group : alike(Names, Result))
      for (size_t I : Group)
        Result[I] = formOf(Names[I], Form);
  }
  return Result;
}

// How many brackets and other parts a name has: what is made of one template
// has as many.
static size_t partsOf(StringRef Name) {
  size_t Parts = 0;
  for (NameParts P(Name); !P.empty(); P.next())
    ++Parts;
  return Parts;
}

// Functions that have one plain name, by how they differ: in template arguments
// alone, if that is enough.
static void shortenLike(ArrayRef<std::string> Names, ArrayRef<size_t> Group,
                        StringRef Dots, std::vector<std::string> &Result) {
  std::vector<std::string> Whole, Texts;
  for (size_t I : Group) {
    Whole.push_back(Names[I]);
    Texts.push_back(withoutParameters(Names[I]));
  }
  if (!alike(Whole, Texts).empty())
    Texts = Whole;
  std::map<size_t, std::vector<size_t>> BySize;
  for (size_t N = 0; N != Group.size(); ++N)
    BySize[partsOf(Texts[N])].push_back(N);
  for (auto &[Size, Like] : BySize) {
    std::vector<std::string> Of;
    for (size_t N : Like)
      Of.push_back(Texts[N]);
    std::vector<std::string> Shorter = onlyDifferences(Of, Dots);
    for (size_t I = 0; I != Like.size(); ++I)
      if (std::string &To = Result[Group[Like[I]]];
          Like.size() > 1 && Shorter[I].size() < To.size())
        To = Shorter[I];
  }
}

static std::vector<std::string> differing(ArrayRef<std::string> Names,
                                          StringRef Dots) {
  const std::vector<std::string> Plain = inOwnForm(Names, NameForm::Plain);
  std::vector<std::string> Result = Plain, PlainNames;
  for (const std::string &Name : Names)
    PlainNames.push_back(plainName(Name));
  for (const std::vector<size_t> &Group : alike(Names, PlainNames))
    shortenLike(Names, Group, Dots, Result);
  // In each round at least one has its plain form again, in which all differ.
  for (;;) {
    bool Changed = false;
    for (const std::vector<size_t> &Group : alike(Names, Result))
      for (size_t I : Group) {
        Changed |= Result[I] != Plain[I];
        Result[I] = Plain[I];
      }
    if (!Changed)
      return Result;
  }
}

std::vector<std::string> patchbay::inForm(ArrayRef<std::string> Names,
                                          NameForm Form, StringRef Dots) {
  return Form == NameForm::Differing ? differing(Names, Dots)
                                     : inOwnForm(Names, Form);
}

//===----------------------------------------------------------------------===//
// Without what is in front
//===----------------------------------------------------------------------===//

// Where a name may begin: behind the type of its result, and behind each "::"
// that is in no brackets. "operator<" says nothing without its class, unless
// WithOperators.
static std::vector<size_t> beginnings(StringRef Name,
                                      bool WithOperators = false) {
  std::vector<size_t> Result;
  size_t At = 0, Colons = 0;
  bool IsOver = false, WasOperator = false;
  for (NameParts P(Name); !P.empty();) {
    StringRef Part = P.next();
    bool IsOperator = Part.starts_with("operator");
    bool IsName = Part != ":" && Part != " ";
    if (IsName && Colons == 2 && At > 2 && (WithOperators || !IsOperator))
      Result.push_back(At);
    Colons = Part == ":" ? Colons + 1 : 0;
    if (isParameters(Part, Name.take_front(At)))
      IsOver = At != 0;
    else if (Part == ":")
      IsOver = false;
    else if (Part == " " && !WasOperator && !IsOver)
      Result.assign(1, At + 1);
    WasOperator = IsOperator;
    At += Part.size();
  }
  return Result;
}

// "ngx_http_" of "ngx_http_read", where a quarter of all names begin with that.
static std::vector<size_t> prefixSizes(ArrayRef<std::string> Names) {
  static constexpr size_t MostSize = 100;
  auto EachOf = [](StringRef Name, auto Then) {
    for (size_t I = 0; I < std::min(Name.size(), MostSize); ++I) {
      if (!isWord(Name[I]) && Name[I] != '.')
        return;
      if (I && I + 1 != Name.size() && (Name[I] == '_' || Name[I] == '.'))
        Then(Name.take_front(I + 1));
    }
  };
  auto IsIdentifier = [](StringRef Name) {
    return llvm::all_of(Name, [](char C) { return isWord(C) || C == '.'; });
  };
  DenseMap<StringRef, size_t> Counts;
  for (StringRef Name : Names)
    if (IsIdentifier(Name))
      EachOf(Name, [&](StringRef Prefix) { ++Counts[Prefix]; });
  const size_t Least = std::max<size_t>(2, (Names.size() + 3) / 4);
  std::vector<size_t> Result(Names.size());
  for (size_t I = 0; I != Names.size(); ++I)
    if (IsIdentifier(Names[I]))
      EachOf(Names[I], [&](StringRef Prefix) {
        if (Counts.lookup(Prefix) >= Least)
          Result[I] = Prefix.size();
      });
  return Result;
}

// Of each name the ends that no other one has, longest first.
static std::vector<std::vector<StringRef>> ends(ArrayRef<std::string> Names) {
  std::vector<std::vector<StringRef>> All;
  std::vector<size_t> Prefixes = prefixSizes(Names);
  DenseMap<StringRef, size_t> Counts;
  DenseSet<StringRef> Known;
  for (size_t I = 0; I != Names.size(); ++I) {
    StringRef Name = Names[I];
    std::vector<StringRef> &Of = All.emplace_back();
    for (size_t At : beginnings(Name))
      Of.push_back(Name.drop_front(At));
    if (Prefixes[I])
      Of.push_back(Name.drop_front(Prefixes[I]));
    if (!Known.insert(Name).second)
      continue;
    ++Counts[Name];
    for (StringRef End : Of)
      ++Counts[End];
  }
  for (std::vector<StringRef> &Of : All)
    llvm::erase_if(Of, [&](StringRef End) { return Counts.lookup(End) > 1; });
  return All;
}

static StringRef ownName(StringRef Name, bool WithOperators = false) {
  std::vector<size_t> All = beginnings(Name, WithOperators);
  return All.empty() ? Name : Name.drop_front(All.back());
}

std::vector<std::vector<std::string>>
patchbay::allForms(ArrayRef<std::string> Names, StringRef Dots) {
  std::vector<std::vector<std::string>> Result;
  for (const std::string &Name : Names)
    Result.push_back({Name});
  auto Add = [&](size_t I, std::string Text) {
    if (Text.size() < Result[I].back().size())
      Result[I].push_back(std::move(Text));
  };
  std::vector<std::string> Last;
  for (NameForm Form : ShorterForms) {
    Last = inForm(Names, Form, Dots);
    for (size_t I = 0; I != Names.size(); ++I)
      Add(I, Last[I]);
  }
  const std::vector<std::vector<StringRef>> Ends = ends(Last);
  for (size_t I = 0; I != Names.size(); ++I) {
    for (StringRef End : Ends[I])
      Add(I, (Dots + End).str());
    std::string Plain = plainName(Names[I]);
    StringRef Own = ownName(Plain), Shortest = Result[I].back();
    Shortest.consume_front(Dots);
    Result[I].push_back((Own.size() < Shortest.size() ? Own : Shortest).str());
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// Cut
//===----------------------------------------------------------------------===//

static constexpr StringLiteral CutDots = "...";

// Whether one can cut there, and no identifier loses a part. Never within a
// character of UTF-8.
static bool isEdge(StringRef Text, size_t At) {
  return !At || At >= Text.size() || isWord(Text[At - 1]) != isWord(Text[At]);
}

// The same, or at least a part that is a word.
static bool isWordEdge(StringRef Text, size_t At) {
  return isEdge(Text, At) || (Text[At - 1] == '_' && isWord(Text[At]));
}

// What is in the middle makes room for dots: identifiers as a whole, or else
// words of them, unless they are too long.
static std::string withoutMiddle(StringRef Text, size_t Size) {
  if (Text.size() <= Size || Size < CutDots.size())
    return Text.str();
  const size_t Room = Size - CutDots.size(), Half = (Room + 1) / 2;
  for (auto *IsEdge : {isEdge, isWordEdge}) {
    size_t Head = Half;
    while (Head > Half / 2 && !IsEdge(Text, Head))
      --Head;
    if (!IsEdge(Text, Head)) // a long one begins it
      for (Head = Half; Head <= Room && !IsEdge(Text, Head);)
        ++Head;
    size_t Tail = Text.size() - (Room - std::min(Head, Room));
    while (!IsEdge(Text, Tail))
      ++Tail;
    if (Head <= Room)
      return (Text.take_front(Head) + CutDots + Text.drop_front(Tail)).str();
  }
  return shortened(Text, Size);
}

// What is before the function's own name makes room first.
static std::string cutBeforeOwn(StringRef Name, size_t Size) {
  StringRef Own = ownName(Name, /*WithOperators=*/true);
  constexpr size_t Dots = CutDots.size();
  if (Own.size() == Name.size() || Size < 2 * Dots)
    return withoutMiddle(Name, Size);
  if (Own.size() + Dots > Size)
    return (CutDots + withoutMiddle(Own, Size - Dots)).str();
  size_t Head = Size - Dots - Own.size();
  while (!isEdge(Name, Head))
    --Head;
  return (Name.take_front(Head) + CutDots + Own).str();
}

static StringRef beforeBrackets(StringRef Own) {
  size_t At = 0;
  for (NameParts P(Own); !P.empty();) {
    StringRef Part = P.next();
    if (At && Part.size() > 1 && !Part.starts_with("operator"))
      break;
    At += Part.size();
  }
  return Own.take_front(At);
}

// The characters of UTF-8 that have a part there.
static std::pair<size_t, size_t> wholeCharacters(StringRef Name, size_t Begin,
                                                 size_t End) {
  while (isWithinCharacter(Name, Begin))
    --Begin;
  while (isWithinCharacter(Name, End))
    ++End;
  return {Begin, End};
}

// What is from Begin to End, in which names differ, with identifiers as a whole
// where there is room for that; the first of them has the difference.
static std::pair<size_t, size_t> identifiers(StringRef Name, size_t Begin,
                                             size_t End, size_t Most) {
  size_t WordsBegin = Begin, WordsEnd = End, FirstEnd = Begin + 1;
  while (!isEdge(Name, WordsBegin))
    --WordsBegin;
  while (!isEdge(Name, WordsEnd))
    ++WordsEnd;
  while (!isEdge(Name, FirstEnd))
    ++FirstEnd;
  if (WordsEnd - WordsBegin <= Most)
    return {WordsBegin, WordsEnd};
  if (FirstEnd - WordsBegin > Most)
    return wholeCharacters(Name, Begin, std::min(End, Begin + Most));
  WordsEnd = std::min(WordsEnd, WordsBegin + Most);
  while (!isEdge(Name, WordsEnd))
    --WordsEnd;
  return {WordsBegin, WordsEnd};
}

// Without what all of them begin or end with, as far as they are too long.
// Where they differ in more than there is room for, the first of it is there.
// The function's own name is at the end, if it fits, at least without template
// arguments.
static void cutAlike(ArrayRef<std::string> Names, ArrayRef<size_t> Group,
                     size_t Size, std::vector<std::string> &Result) {
  StringRef First = Names[Group.front()];
  size_t Head = First.size(), Tail = First.size();
  for (size_t I : Group) {
    StringRef Name = Names[I];
    size_t Same = 0;
    while (Same < std::min(Head, Name.size()) && Name[Same] == First[Same])
      ++Same;
    Head = Same;
    Same = 0;
    while (Same < std::min(Tail, Name.size()) &&
           Name[Name.size() - 1 - Same] == First[First.size() - 1 - Same])
      ++Same;
    Tail = Same;
  }
  constexpr size_t Dots = 2 * CutDots.size();
  const size_t Most = Size > Dots ? Size - Dots : Size;
  for (size_t I : Group) {
    StringRef Name = Names[I];
    size_t Begin = Head;
    size_t End =
        Name.size() - std::min(Tail, Name.size() - std::min(Head, Name.size()));
    std::tie(Begin, End) = identifiers(Name, Begin, End, Most);
    size_t Room = Most - std::min(Most, End - Begin);
    StringRef Own = ownName(Name, /*WithOperators=*/true);
    size_t OwnBegin = Name.size() - Own.size();
    std::string Last = Own.str();
    constexpr size_t LeastOwn = 8;
    if (Last.size() + CutDots.size() > Room)
      Last = beforeBrackets(Own).str() + CutDots.str();
    if (Last.size() + CutDots.size() > Room &&
        Room >= LeastOwn + CutDots.size())
      Last = withoutMiddle(Own, Room - CutDots.size());
    if (OwnBegin < End || Last.size() + CutDots.size() > Room) {
      OwnBegin = Name.size();
      Last.clear();
    }
    Room -= Last.size();
    // What is around it, as much of it as fits: where that is within an
    // identifier, words.
    auto *IsEdge = isEdge(Name, Begin) ? isEdge : isWordEdge;
    size_t From = Begin - std::min(Begin, Room);
    while (From != Begin && !IsEdge(Name, From))
      ++From;
    Room -= Begin - From;
    IsEdge = isEdge(Name, End) ? isEdge : isWordEdge;
    size_t To = End + std::min(OwnBegin - End, Room);
    while (To != End && !IsEdge(Name, To))
      --To;
    Result[I] = ((From ? CutDots : "") + Name.slice(From, To) +
                 (To < OwnBegin ? CutDots : "") + Last)
                    .str();
  }
}

std::vector<std::string> patchbay::cutTo(ArrayRef<std::string> Names,
                                         size_t Size) {
  std::vector<std::string> Result;
  const std::vector<std::vector<StringRef>> Ends = ends(Names);
  for (size_t I = 0; I != Names.size(); ++I) {
    StringRef Name = Names[I];
    if (Name.size() <= Size) {
      Result.push_back(Name.str());
      continue;
    }
    auto Fits = [&](StringRef End) {
      return CutDots.size() + End.size() <= Size;
    };
    auto End = llvm::find_if(Ends[I], Fits);
    Result.push_back(End != Ends[I].end() ? (CutDots + *End).str()
                                          : cutBeforeOwn(Name, Size));
  }
  // What looks alike then has more in common, so it differs later.
  constexpr unsigned MostRounds = 16;
  for (unsigned Round = 0; Round != MostRounds; ++Round)
    for (const std::vector<size_t> &Group : alike(Names, Result))
      cutAlike(Names, Group, Size, Result);
  // Where that is not enough, nothing is.
  for (const std::vector<size_t> &Group : alike(Names, Result))
    for (size_t I : Group)
      Result[I] = Names[I];
  return Result;
}
