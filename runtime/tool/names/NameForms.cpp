// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "NameForms.h"
#include "trace/format/name_forms.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace patchbay;

std::string patchbay::readableName(StringRef Demangled) {
  std::string Name = rustName(Demangled);
  Name.resize(pb_name_strings(Name.data(), Name.size()));
  return Name;
}

static std::string shortForm(StringRef Name, bool WithTemplates) {
  if (Name.empty())
    return "";
  std::string Result(Name.size(), 0);
  Result.resize(pb_name_short(Name.data(), Name.size(), WithTemplates, Result.data()));
  return Result;
}

std::string patchbay::withoutParameters(StringRef Demangled) {
  return shortForm(Demangled, /*WithTemplates=*/true);
}

std::string patchbay::plainName(StringRef Demangled) {
  return shortForm(Demangled, /*WithTemplates=*/false);
}

bool patchbay::isMatchedBy(const std::string &Name, const std::string &Glob) {
  return pb_name_matches(Name.c_str(), Glob.c_str()) > 0;
}

bool patchbay::isNamedBy(StringRef Demangled, const std::string &Glob) {
  std::string Name = Demangled.str(), Rust = rustName(Demangled);
  auto Is = [&](const std::string &Text) {
    return pb_name_is_meant(Text.c_str(), Glob.c_str()) > 0;
  };
  return Is(Name) || (Rust != Name && Is(Rust));
}

// Drops "::h" and sixteen digits, with which each name of the legacy mangling ends.
static bool dropHash(StringRef &Name) {
  constexpr size_t Digits = 16;
  StringRef Tail = Name.take_back(Digits);
  StringRef Head = Name.drop_back(Tail.size());
  if (Tail.size() != Digits || !Head.consume_back("::h") ||
      !all_of(Tail, [](char C) { return isHexDigit(C) && !isUpper(C); }))
    return false;
  Name = Head;
  return true;
}

// Decodes a character that assemblers do not accept in symbols, as in rustc's
// compiler/rustc_symbol_mangling/src/legacy.rs: a name such as $LT$, or the character's
// number, $u7b$. Empty for anything else.
static std::string unescaped(StringRef Escape) {
  static constexpr struct {
    StringLiteral Name, Character;
  } Known[] = {{"SP", "@"}, {"BP", "*"}, {"RF", "&"}, {"LT", "<"},
               {"GT", ">"}, {"LP", "("}, {"RP", ")"}, {"C", ","}};
  for (auto &[Name, Character] : Known)
    if (Escape == Name)
      return Character.str();
  unsigned Number;
  if (Escape.consume_front("u") && !Escape.getAsInteger(16, Number) &&
      Number < 0x80 && isPrint(char(Number)))
    return std::string(1, char(Number));
  return "";
}

static std::string unescapeAll(StringRef Name) {
  std::string Result;
  while (!Name.empty()) {
    if (Name.consume_front("..")) {
      Result += "::";
      continue;
    }
    StringRef Escape = Name.drop_front().take_until([](char C) { return C == '$'; });
    std::string Character;
    if (Name.front() == '$' && Escape.size() + 1 < Name.size())
      Character = unescaped(Escape);
    // rustc puts a '_' before an escaped character at the beginning of an identifier.
    StringRef Before = Result;
    if (!Character.empty() && (Before == "_" || Before.ends_with("::_")))
      Result.pop_back();
    Result += Character.empty() ? std::string(1, Name.front()) : Character;
    Name = Name.drop_front(Character.empty() ? 1 : Escape.size() + 2);
  }
  return Result;
}

// Returns "app::Line::words" for "<app::Line>::words", a method that belongs to no trait.
static std::string withoutBracketsOfType(StringRef Name) {
  size_t Depth = 0, End = 0;
  for (; End != Name.size(); ++End) {
    if (Name[End] == '<')
      ++Depth;
    else if (Name[End] == '>' && Name[End - 1] != '-' && --Depth == 0)
      break;
  }
  StringRef Type = Name.slice(1, End), Method = Name.drop_front(std::min(End + 1, Name.size()));
  bool HasName = !Type.empty() && (isAlpha(Type.front()) || Type.front() == '_');
  if (!HasName || Type.contains(" ") || !Method.starts_with("::"))
    return Name.str();
  return (Type + Method).str();
}

std::string patchbay::rustName(StringRef Demangled) {
  StringRef Name = Demangled;
  // The demangler puts LLVM's suffix in brackets: " (.llvm.1527)".
  if (size_t Suffix = Name.rfind(" (."); Name.ends_with(")") && Suffix != StringRef::npos)
    Name = Name.take_front(Suffix);
  StringRef After = Demangled.drop_front(Name.size());
  if (dropHash(Name))
    return unescapeAll(Name) + After.str();
  Name = Demangled;
  return Name.starts_with("<") ? withoutBracketsOfType(Name) : Name.str();
}
