// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OnlyDifferences.h"
#include "NameParts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <optional>

using namespace llvm;
using namespace patchbay;

namespace {
using Texts = std::vector<StringRef>;
using Strings = std::vector<std::string>;

/// What is at one place of all names.
struct Place {
  enum { Same, Differs, Brackets } Kind;
  Texts Of;          // each name's
  size_t Column = 0; // of what differs
  // Of brackets: all arguments, each of them a list of places.
  std::vector<std::vector<Place>> Arguments;
};

/// Names side by side: where they are the same, and where they differ.
class SideBySide {
public:
  explicit SideBySide(ArrayRef<std::string> Names);
  /// Columns that tell all of them apart, each as short as it may be.
  void choose();
  std::string text(size_t Row, StringRef Dots) const {
    return textOf(Places, Row, Dots, /*IsName=*/true);
  }

private:
  // Brackets within so many others are not looked into: names are read from
  // files.
  static constexpr unsigned MostDepth = 12;

  std::vector<Place> placesOf(const Texts &Of, unsigned Depth);
  Place placeOf(Texts Of, unsigned Depth);
  Place differs(Texts Of) {
    Columns.push_back(Of);
    return {Place::Differs, std::move(Of), Columns.size() - 1, {}};
  }
  bool isChosen(ArrayRef<Place> Of) const;
  bool isChosen(const Place &P) const;
  std::string textOf(ArrayRef<Place> Of, size_t Row, StringRef Dots,
                     bool IsName) const;
  std::string textBetween(const Place &P, size_t Row, StringRef Dots) const;

  Texts Names;
  std::vector<Place> Places;
  std::vector<Texts> Columns;
  std::map<size_t, Strings> Chosen; // by column
};
} // namespace

// Identifiers, what is between brackets, operators, and single signs.
static Texts piecesOf(StringRef Name) {
  Texts Result;
  bool WasWord = false;
  for (NameParts P(Name); !P.empty();) {
    StringRef Part = P.next();
    bool IsWord = Part.size() == 1 && isWord(Part.front());
    if (IsWord && WasWord)
      Result.back() = StringRef(Result.back().data(), Result.back().size() + 1);
    else
      Result.push_back(Part);
    WasWord = IsWord;
  }
  return Result;
}

static Texts argumentsOf(StringRef Between) {
  Texts Result;
  size_t Begin = 0, At = 0;
  for (NameParts P(Between); !P.empty();) {
    StringRef Part = P.next();
    if (Part == ",") {
      Result.push_back(Between.slice(Begin, At).trim(' '));
      Begin = At + 1;
    }
    At += Part.size();
  }
  Result.push_back(Between.drop_front(Begin).trim(' '));
  return Result;
}

static bool haveSameSize(ArrayRef<Texts> Rows) {
  return llvm::all_of(Rows, [&](const Texts &Row) {
    return Row.size() == Rows.front().size();
  });
}

static Texts columnOf(ArrayRef<Texts> Rows, size_t I) {
  Texts Result;
  for (const Texts &Row : Rows)
    Result.push_back(Row[I]);
  return Result;
}

static bool areBrackets(ArrayRef<StringRef> Pieces) {
  return llvm::all_of(Pieces, [&](StringRef P) {
    return P.size() > 1 && StringRef("<({").contains(P.front()) &&
           P.front() == Pieces.front().front();
  });
}

SideBySide::SideBySide(ArrayRef<std::string> All)
    : Names(All.begin(), All.end()) {
  Places = placesOf(Names, 0);
}

// Those that differ in more than what is between brackets differ as a whole.
std::vector<Place> SideBySide::placesOf(const Texts &Of, unsigned Depth) {
  std::vector<Texts> Rows;
  for (StringRef Text : Of)
    Rows.push_back(piecesOf(Text));
  std::vector<Texts> Pieces;
  bool Alike = Depth != MostDepth && haveSameSize(Rows);
  for (size_t I = 0; Alike && I != Rows.front().size(); ++I) {
    Pieces.push_back(columnOf(Rows, I));
    Alike = llvm::all_equal(Pieces.back()) || areBrackets(Pieces.back());
  }
  std::vector<Place> Result;
  if (!Alike) {
    Result.push_back(differs(Of));
    return Result;
  }
  for (Texts &P : Pieces)
    Result.push_back(placeOf(std::move(P), Depth));
  return Result;
}

Place SideBySide::placeOf(Texts Of, unsigned Depth) {
  if (llvm::all_equal(Of))
    return {Place::Same, std::move(Of), 0, {}};
  std::vector<Texts> Rows;
  for (StringRef Text : Of)
    Rows.push_back(argumentsOf(Text.drop_front().drop_back()));
  Place Result = {Place::Brackets, Of, 0, {}};
  if (!haveSameSize(Rows)) {
    Texts Between;
    for (StringRef Text : Of)
      Between.push_back(Text.drop_front().drop_back());
    Result.Arguments.emplace_back().push_back(differs(std::move(Between)));
    return Result;
  }
  for (size_t I = 0; I != Rows.front().size(); ++I) {
    Texts Column = columnOf(Rows, I);
    std::vector<Place> &Argument = Result.Arguments.emplace_back();
    if (llvm::all_equal(Column))
      Argument.push_back({Place::Same, std::move(Column), 0, {}});
    else
      Argument = placesOf(Column, Depth + 1);
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// As little as tells them apart
//===----------------------------------------------------------------------===//

// "std::vector&" of "std::vector<int>&".
static std::string withoutArguments(StringRef Text) {
  std::string Result;
  for (NameParts P(Text); !P.empty();) {
    StringRef Part = P.next();
    if (Result.empty() || Part.size() == 1 || !Part.starts_with("<"))
      Result += Part;
  }
  return Result;
}

static Strings asShortAsMayBe(const Texts &Column) {
  std::map<StringRef, std::string> Of;
  StringSet<> Shorter;
  for (StringRef Text : Column)
    if (auto [At, IsNew] = Of.try_emplace(Text); IsNew) {
      At->second = withoutArguments(Text);
      if (!Shorter.insert(At->second).second)
        return Strings(Column.begin(), Column.end());
    }
  Strings Result;
  for (StringRef Text : Column)
    Result.push_back(Of[Text]);
  return Result;
}

// Which of the names still look alike with one more column: those of one
// number.
static std::vector<size_t> divided(ArrayRef<size_t> Kinds, const Texts &By) {
  std::map<std::pair<size_t, StringRef>, size_t> Known;
  std::vector<size_t> Result;
  for (size_t Row = 0; Row != Kinds.size(); ++Row)
    Result.push_back(
        Known.try_emplace({Kinds[Row], By[Row]}, Known.size()).first->second);
  return Result;
}

static size_t kindsOf(ArrayRef<size_t> Kinds) {
  return Kinds.empty() ? 0 : *std::max_element(Kinds.begin(), Kinds.end()) + 1;
}

// The one that tells most apart comes first, the shortest of those. Whether what is
// found is enough, callers see: so many are looked at, since each takes its time.
void SideBySide::choose() {
  constexpr size_t MostColumns = 64;
  const size_t NrColumns = std::min(Columns.size(), MostColumns);
  std::vector<size_t> Kinds(Names.size());
  for (;;) {
    size_t Most = kindsOf(Kinds), Least = SIZE_MAX;
    std::optional<size_t> Best;
    for (size_t I = 0; I != NrColumns; ++I) {
      size_t Apart = kindsOf(divided(Kinds, Columns[I])), Size = 0;
      for (StringRef Text : Columns[I])
        Size += Text.size();
      if (Apart > Most || (Best && Apart == Most && Size < Least)) {
        Best = I;
        Most = Apart;
        Least = Size;
      }
    }
    if (!Best)
      return;
    Kinds = divided(Kinds, Columns[*Best]);
    Chosen[*Best] = asShortAsMayBe(Columns[*Best]);
  }
}

bool SideBySide::isChosen(const Place &P) const {
  if (P.Kind == Place::Differs)
    return Chosen.count(P.Column);
  return llvm::any_of(P.Arguments, [&](ArrayRef<Place> Argument) {
    return isChosen(Argument);
  });
}

bool SideBySide::isChosen(ArrayRef<Place> Of) const {
  return llvm::any_of(Of, [&](const Place &P) { return isChosen(P); });
}

std::string SideBySide::textBetween(const Place &P, size_t Row,
                                    StringRef Dots) const {
  std::string Result;
  for (ArrayRef<Place> Argument : P.Arguments) {
    std::string Text = isChosen(Argument)
                           ? textOf(Argument, Row, Dots, /*IsName=*/false)
                           : Dots.str();
    if (Text != Dots || !StringRef(Result).ends_with(Dots))
      Result += (Result.empty() ? "" : ", ") + Text;
  }
  return Result;
}

// The type of a result is what stands before a name: up to the last space that
// is before its parameters.
static size_t resultPlaces(ArrayRef<Place> Of) {
  size_t Result = 0;
  for (size_t I = 0; I != Of.size(); ++I) {
    StringRef Text = Of[I].Of.front();
    if (I && isParameters(Text, Of[I - 1].Of.front()))
      break;
    if (Text == " " && !(I && Of[I - 1].Of.front().starts_with("operator")))
      Result = I + 1;
  }
  return Result;
}

// IsName: of a function, which can do without the type of its result and
// without parameters; not of an argument.
std::string SideBySide::textOf(ArrayRef<Place> Of, size_t Row, StringRef Dots,
                               bool IsName) const {
  size_t Result = IsName ? resultPlaces(Of) : 0;
  if (isChosen(Of.take_front(Result)))
    Result = 0;
  std::string Text;
  for (const Place &P : Of.drop_front(Result)) {
    StringRef Whole = P.Of[Row];
    bool IsFirst = &P == &Of[Result];
    bool MayGo = !IsFirst && Whole.size() > 1 &&
                 (Whole.starts_with("<") ||
                  (IsName && isParameters(Whole, (&P)[-1].Of[Row])));
    if (P.Kind == Place::Differs)
      Text += Chosen.count(P.Column) ? Chosen.at(P.Column)[Row] : Whole.str();
    else if (P.Kind == Place::Brackets && isChosen(P))
      Text += Whole.front() + textBetween(P, Row, Dots) + Whole.back();
    else if (MayGo) // Rust's "f::<Type>" has it behind "::"
      Text.resize(StringRef(Text).rtrim(':').size());
    else
      Text += Whole;
  }
  return Text;
}

std::vector<std::string> patchbay::onlyDifferences(ArrayRef<std::string> Names,
                                                   StringRef Dots) {
  SideBySide All(Names);
  All.choose();
  Strings Result;
  for (size_t Row = 0; Row != Names.size(); ++Row)
    Result.push_back(All.text(Row, Dots));
  return Result;
}
