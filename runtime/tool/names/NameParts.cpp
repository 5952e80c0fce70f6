// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "NameParts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace patchbay;

static constexpr StringLiteral Operator = "operator", Decltype = "decltype";
static constexpr StringLiteral Anonymous = "(anonymous namespace)";

bool patchbay::isWord(char C) {
  return isAlnum(C) || C == '_' || static_cast<unsigned char>(C) >= 0x80;
}

bool patchbay::isParameters(StringRef Part, StringRef Before) {
  return Part.starts_with("(") && Part != Anonymous &&
         !(Part.starts_with("(*") && Before.ends_with("."));
}

StringRef NameParts::next() {
  StringRef Part = Rest.take_front(nextSize());
  Rest = Rest.drop_front(Part.size());
  IsInWord = isWord(Part.back());
  return Part;
}

static bool isKeyword(StringRef Text, StringRef Keyword, bool IsInWord) {
  return !IsInWord && Text.consume_front(Keyword) &&
         (Text.empty() || !isWord(Text[0]));
}

// "operator<<A>" is a template of operator<, as LLVM's demangler writes it: it
// has no space between them.
static bool isShift(StringRef BehindShift) {
  return BehindShift.empty() ||
         (!isWord(BehindShift[0]) && !BehindShift.starts_with(Anonymous));
}

// "operator()", or "operator" alone; 0: the text does not begin with one.
static size_t operatorSize(StringRef Text, bool IsInWord) {
  if (!isKeyword(Text, Operator, IsInWord))
    return 0;
  StringRef Behind = Text.drop_front(Operator.size());
  for (StringRef Signs : {"()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>",
                          "<=", ">=", "->", "<", ">", ","})
    if (Behind.starts_with(Signs) &&
        (Signs != "<<" || isShift(Behind.drop_front(Signs.size()))))
      return Operator.size() + Signs.size();
  if (!Behind.consume_front("\"\""))
    return Operator.size();
  Behind.consume_front(" ");
  return Text.size() - Behind.drop_while(isWord).size();
}

size_t NameParts::nextSize() {
  if (size_t Size = operatorSize(Rest, IsInWord))
    return Size == Operator.size() && Rest.substr(Size, 1) == " "
               ? conversionSize(Size)
               : Size;
  if (isKeyword(Rest, Decltype, IsInWord)) {
    StringRef Whole = Rest;
    Rest = Rest.drop_front(Decltype.size()).ltrim(' ');
    size_t Size = Rest.starts_with("(") ? bracketsSize() : 0;
    Size = Size > 1 ? Whole.size() - Rest.size() + Size : 1;
    Rest = Whole;
    return Size;
  }
  return bracketsSize();
}

// With a type, which may be that of a function, or new and delete.
size_t NameParts::conversionSize(size_t Begin) {
  StringRef Whole = Rest;
  for (Rest = Rest.drop_front(Begin); !Rest.empty();) {
    if (Rest.starts_with("(*") || Rest.starts_with("(&"))
      Rest = Rest.drop_front(bracketsSize()); // parameters of that type follow
    else if (Rest.starts_with("("))
      break;
    if (!Rest.empty())
      Rest = Rest.drop_front(bracketsSize());
  }
  size_t Size = Whole.size() - Rest.size();
  Rest = Whole;
  return Size;
}

// One that has no end is a character as any other; and so are those within it
// that have none, which need not be looked for again.
size_t NameParts::bracketsSize() {
  constexpr StringLiteral Open = "(<{[", Close = ")>}]";
  if (!Open.contains(Rest.front()) ||
      std::binary_search(Unclosed.begin(), Unclosed.end(), Rest.data()))
    return 1;
  std::vector<std::pair<char, const char *>> Expected;
  for (size_t I = 0; I != Rest.size();) {
    char C = Rest[I];
    if (size_t Size = C == Operator[0] ? operatorSize(Rest.drop_front(I),
                                                      isWord(Rest[I - 1]))
                                       : 0) {
      I += Size;
      continue;
    }
    if (size_t Kind = Open.find(C); Kind != StringRef::npos)
      Expected.emplace_back(Close[Kind], Rest.data() + I);
    else if (C == '>' && Rest[I - 1] == '-')
      ; // of a Rust function's type
    else if (C == Expected.back().first)
      Expected.pop_back();
    ++I;
    if (Expected.empty())
      return I;
  }
  Unclosed.clear();
  for (auto [Sign, At] : Expected)
    Unclosed.push_back(At);
  return 1;
}
