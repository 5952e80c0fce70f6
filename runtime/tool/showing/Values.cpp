// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Values.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace patchbay;

// Of what is narrower than a register the upper half means nothing, and
// compilers leave it zero as a rule: there, a negative int is one of 32 bits.
static std::string integerText(uint64_t Value) {
  int64_t Signed = Value >> 32 ? int64_t(Value) : int32_t(Value);
  if (Signed > -65536 && Signed < 65536)
    return itostr(Signed);
  return "0x" + utohexstr(Value, /*LowerCase=*/true);
}

// A float is in the lower half of its register.
static std::string floatText(uint64_t Value) {
  double Number = Value >> 32 ? bit_cast<double>(Value)
                              : double(bit_cast<float>(uint32_t(Value)));
  std::string Text;
  raw_string_ostream(Text) << format("%g", Number);
  return Text;
}

std::string patchbay::argsText(const DataValues &V) {
  return join(map_range(V.Args, integerText), ", ");
}

std::string patchbay::resultText(const DataValues &V) {
  if (!V.Result)
    return "";
  return V.IsFloat ? floatText(*V.Result) : integerText(*V.Result);
}

std::string patchbay::calledText(StringRef Name, const DataValues &V) {
  if (Name.ends_with(")")) {
    size_t Open = 1, At = Name.size() - 1;
    while (At && Open) {
      --At;
      Open += (Name[At] == ')') - (Name[At] == '(');
    }
    Name = Name.take_front(At);
  }
  return (Name + "(" + argsText(V) + ")").str();
}
