// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "NameParts.h"
#include "llvm/ADT/StringExtras.h"
#include <string>

using namespace llvm;
using namespace patchbay;

bool patchbay::isWord(char C) { return isAlnum(C) || C == '_'; }

StringRef NameParts::next() {
  size_t Size = isOperator() ? operatorSize() : bracketsSize();
  StringRef Part = Rest.take_front(Size);
  Rest = Rest.drop_front(Size);
  IsInWord = isWord(Part.back());
  return Part;
}

bool NameParts::isOperator() const {
  StringRef Behind = Rest;
  return !IsInWord && Behind.consume_front("operator") &&
         (Behind.empty() || !isWord(Behind[0]));
}

// With signs, which may be brackets, or with a type, or new and delete.
size_t NameParts::operatorSize() const {
  constexpr size_t Word = sizeof("operator") - 1;
  StringRef Behind = Rest.drop_front(Word);
  for (StringRef Signs : {"()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>",
                          "<=", ">=", "->", "<", ">"})
    if (Behind.starts_with(Signs))
      return Word + Signs.size();
  if (!Behind.starts_with(" "))
    return Word;
  size_t Size = Word;
  for (NameParts Type(Rest.drop_front(Word)); !Type.empty();) {
    StringRef Part = Type.next();
    if (Part.starts_with("("))
      break;
    Size += Part.size();
  }
  return Size;
}

// One that has no end is a character as any other.
size_t NameParts::bracketsSize() const {
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
