// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "NameForms.h"
#include "RustNames.h"
#include "showing/Table.h"
#include "patchbay/names.h"
#include "llvm/ADT/StringExtras.h"
#include <fnmatch.h>
#include <map>

using namespace llvm;
using namespace patchbay;

static void replaceAll(std::string &In, StringRef Old, StringRef New) {
  for (size_t At = In.find(Old.data()); At != std::string::npos;
       At = In.find(Old.data(), At + New.size()))
    In.replace(At, Old.size(), New.data(), New.size());
}

// The namespaces are those of libstdc++ and of libc++.
std::string patchbay::readableName(StringRef Demangled) {
  std::string Name = rustName(Demangled);
  if (!Demangled.contains("::basic_string"))
    return Name;
  for (StringRef Inner : {"__cxx11::", "__1::", ""}) {
    std::string Traits = "std::" + (Inner == "__1::" ? Inner : "").str();
    std::string Of = "<char, " + Traits + "char_traits<char>";
    replaceAll(Name, ("std::" + Inner + "basic_string").str() + Of + ", " +
                         Traits + "allocator<char>>",
               "std::string");
    replaceAll(Name, ("std::" + Inner + "basic_string_view").str() + Of + ">",
               "std::string_view");
  }
  return Name;
}

namespace {

/// Goes through a name by what belongs together: what is between brackets of any kind,
/// the name of an operator, or else a character.
class Parts {
public:
  explicit Parts(StringRef Name) : Rest(Name) {}
  bool empty() const { return Rest.empty(); }
  StringRef next() {
    size_t Size = isOperator() ? operatorSize() : bracketsSize();
    StringRef Part = Rest.take_front(Size);
    Rest = Rest.drop_front(Size);
    IsInWord = isAlnum(Part.back()) || Part.back() == '_';
    return Part;
  }

private:
  bool isOperator() const {
    StringRef Behind = Rest;
    return !IsInWord && Behind.consume_front("operator") &&
           (Behind.empty() || !(isAlnum(Behind[0]) || Behind[0] == '_'));
  }
  // With signs, which may be brackets, or with a type, or new and delete.
  size_t operatorSize() const {
    constexpr size_t Word = sizeof("operator") - 1;
    StringRef Behind = Rest.drop_front(Word);
    for (StringRef Signs : {"()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>",
                            "<=", ">=", "->", "<", ">"})
      if (Behind.starts_with(Signs))
        return Word + Signs.size();
    if (!Behind.starts_with(" "))
      return Word;
    size_t Size = Word;
    for (Parts Type(Rest.drop_front(Word)); !Type.empty();) {
      StringRef Part = Type.next();
      if (Part.starts_with("("))
        break;
      Size += Part.size();
    }
    return Size;
  }
  // One that has no end is a character as any other.
  size_t bracketsSize() const {
    constexpr StringLiteral Open = "(<{[", Close = ")>}]";
    std::string Expected;
    for (size_t I = 0; I != Rest.size(); ++I) {
      if (size_t Kind = Open.find(Rest[I]); Kind != StringRef::npos)
        Expected += Close[Kind];
      else if (I && Rest[I] == '>' && Rest[I - 1] == '-')
        continue; // of a Rust function's type
      else if (!Expected.empty() && Rest[I] == Expected.back())
        Expected.pop_back();
      if (Expected.empty())
        return I + 1;
    }
    return 1;
  }

  StringRef Rest;
  bool IsInWord = false;
};

} // namespace

// What is a parameter list ends the name, unless something of that function follows:
// "f(int)::{lambda()#1}::operator()() const". A space ends the type of the result.
static std::string shortForm(StringRef Name, bool WithTemplates) {
  std::string Result;
  bool IsOver = false, WasOperator = false;
  for (Parts P(Name); !P.empty();) {
    StringRef Part = P.next();
    if (IsOver && Part != ":")
      continue;
    IsOver = false;
    if (Part.starts_with("(") && Part != "(anonymous namespace)")
      IsOver = !Result.empty();
    else if (Part == " " && !WasOperator) // "operator<< <int>"
      Result.clear();
    else if (Part.starts_with("<") && Part.size() > 1) {
      // Rust's "<Type as Trait>::f" has it in front, its "f::<Type>" behind "::".
      if (WithTemplates || Result.empty())
        Result += Part;
      else
        Result.resize(StringRef(Result).rtrim(':').size());
    }
    else if (Part != " " && !Part.starts_with("[abi:"))
      Result += Part;
    WasOperator = Part.starts_with("operator");
  }
  return Result.empty() ? Name.str() : Result;
}

std::string patchbay::withoutParameters(StringRef Demangled) {
  return shortForm(Demangled, /*WithTemplates=*/true);
}

std::string patchbay::plainName(StringRef Demangled) {
  return shortForm(Demangled, /*WithTemplates=*/false);
}

// "svc::Cache<int>::get" of "svc::Cache<int>::get<int>": a template is not called with
// its arguments as a rule.
static StringRef withoutLastArguments(StringRef Name) {
  size_t Last = 0, Size = 0;
  for (Parts P(Name); !P.empty(); Size += Last)
    Last = P.next().size();
  bool IsArguments = Last > 2 && Name[Size - Last] == '<';
  return IsArguments ? Name.drop_back(Last).rtrim(':') : Name;
}

bool patchbay::isMatchedBy(const std::string &Name, const std::string &Glob) {
  if (fnmatch(Glob.c_str(), Name.c_str(), 0) == 0)
    return true;
  std::string Closed = Glob;
  if (!patchbay_close_up(Closed.data()))
    return false;
  std::string NameClosed = Name;
  patchbay_close_up(NameClosed.data());
  return fnmatch(Closed.c_str(), NameClosed.c_str(), 0) == 0;
}

bool patchbay::isNamedBy(StringRef Demangled, const std::string &Glob) {
  auto Is = [&](const std::string &Form) { return isMatchedBy(Form, Glob); };
  std::string Readable = readableName(Demangled);
  std::string Qualified = withoutParameters(Readable);
  return Demangled == Glob || Is(Demangled.str()) || Is(Readable) ||
         Is(Qualified) || Is(withoutLastArguments(Qualified).str()) ||
         Is(plainName(Readable));
}

//===----------------------------------------------------------------------===//
// Names that differ
//===----------------------------------------------------------------------===//

static std::string formOf(StringRef Name, NameForm Form) {
  if (Form == NameForm::Whole)
    return Name.str();
  return Form == NameForm::Plain ? plainName(Name) : withoutParameters(Name);
}

// The indices of those that are written in the same way, though they differ.
static std::vector<std::vector<size_t>>
alike(ArrayRef<std::string> Names, ArrayRef<std::string> Written) {
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

std::vector<std::string> patchbay::inForm(ArrayRef<std::string> Names,
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

// Without what all of them begin or end with, as far as they are too long. Where they
// differ in more than there is room for, the first of it is there.
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
  for (size_t I : Group) {
    StringRef Name = Names[I];
    size_t End = Name.size() - std::min(Tail, Name.size() - std::min(Head, Name.size()));
    End = std::min(End, Head + (Size > 6 ? Size - 6 : Size));
    StringRef Differs = Name.slice(Head, End);
    size_t Room = Size > Differs.size() + 6 ? Size - Differs.size() - 6 : 0;
    size_t Before = std::min(Head, Room), Behind = 0;
    Behind = std::min(Name.size() - End, Room - Before);
    Result[I] = ((Before < Head ? "..." : "") +
                 Name.slice(Head - Before, End + Behind) +
                 (End + Behind < Name.size() ? "..." : ""))
                    .str();
  }
}

std::vector<std::string> patchbay::cutTo(ArrayRef<std::string> Names,
                                         size_t Size) {
  std::vector<std::string> Result;
  for (const std::string &Name : Names)
    Result.push_back(shortened(Name, Size));
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
