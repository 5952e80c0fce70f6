// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Values.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace patchbay;

// Converts to a small number, also from a negative int. The upper half of a register with
// an int is undefined, but compilers usually leave it zero.
static std::optional<int64_t> smallInteger(uint64_t Value) {
  int64_t Signed = Value >> 32 ? int64_t(Value) : int32_t(Value);
  return Signed > -65536 && Signed < 65536 ? std::optional(Signed)
                                           : std::nullopt;
}

static std::string integerText(uint64_t Value) {
  if (auto Small = smallInteger(Value))
    return itostr(*Small);
  return "0x" + utohexstr(Value, /*LowerCase=*/true);
}

static json::Value integerJson(uint64_t Value) {
  if (auto Small = smallInteger(Value))
    return *Small;
  return Value;
}

// A float uses only the lower half of its register.
static double floatNumber(uint64_t Value) {
  return Value >> 32 ? bit_cast<double>(Value)
                     : double(bit_cast<float>(uint32_t(Value)));
}

static std::string floatText(uint64_t Value) {
  std::string Text;
  raw_string_ostream(Text) << format("%g", floatNumber(Value));
  return Text;
}

static std::vector<std::pair<std::string, std::string>>
namedArgs(const DataValues &V) {
  std::vector<std::pair<std::string, std::string>> Result;
  for (size_t I = 0; V.Types && I != V.Types->Fields.size(); ++I)
    if (const TypedField &F = V.Types->Fields[I]; !F.IsResult)
      Result.push_back({F.Name, typedText(F, I, V.Typed)});
  return Result;
}

// A result that is or points to a structure has several values.
static std::string namedResult(const DataValues &V) {
  std::vector<std::string> Texts;
  for (size_t I = 0; I != V.Types->Fields.size(); ++I) {
    const TypedField &F = V.Types->Fields[I];
    if (!F.IsResult || llvm::none_of(V.Typed, [&](const TypedPart &P) {
          return P.Field == I;
        }))
      continue;
    bool IsAll = F.Name == "retval";
    Texts.push_back((IsAll ? "" : F.Name + "=") + typedText(F, I, V.Typed));
  }
  return join(Texts, ", ");
}

std::string patchbay::argsText(const DataValues &V) {
  if (V.Types)
    return join(map_range(namedArgs(V),
                          [](const auto &A) { return A.first + "=" + A.second; }),
                ", ");
  return join(map_range(V.Args, integerText), ", ");
}

std::string patchbay::resultText(const DataValues &V) {
  if (V.Types)
    return namedResult(V);
  if (!V.Result)
    return "";
  return V.IsFloat ? floatText(*V.Result) : integerText(*V.Result);
}

static void printNamed(json::OStream &J, const DataValues &V) {
  const std::vector<TypedField> &Fields = V.Types->Fields;
  auto Value = [&](size_t I) { return typedJson(Fields[I], I, V.Typed); };
  std::vector<size_t> Results;
  J.attributeObject("args", [&] {
    for (size_t I = 0; I != Fields.size(); ++I)
      if (!Fields[I].IsResult)
        J.attribute(json::fixUTF8(Fields[I].Name), Value(I));
      else if (llvm::any_of(V.Typed,
                            [&](const TypedPart &P) { return P.Field == I; }))
        Results.push_back(I);
  });
  if (Results.size() == 1 && Fields[Results[0]].Name == "retval")
    J.attribute("result", Value(Results[0]));
  else if (!Results.empty())
    J.attributeObject("result", [&] {
      for (size_t I : Results)
        J.attribute(json::fixUTF8(Fields[I].Name), Value(I));
    });
}

void patchbay::printValues(json::OStream &J, const DataValues &V) {
  if (V.Types)
    return printNamed(J, V);
  if (!V.IsRecorded)
    return;
  J.attributeArray("args", [&] {
    for (uint64_t Arg : V.Args)
      J.value(integerJson(Arg));
  });
  if (V.Result)
    J.attribute("result", V.IsFloat ? jsonNumber(floatNumber(*V.Result))
                                    : integerJson(*V.Result));
}

std::string Mark::text() const { return Value ? Name + "=" + itostr(*Value) : Name; }

std::optional<Mark> patchbay::markOf(StringRef Function, const DataValues *V) {
  const bool IsValue = Function == "patchbay_value";
  if ((!IsValue && Function != "patchbay_mark") || !V || !V->Types ||
      V->Types->Fields.size() != (IsValue ? 2 : 1))
    return std::nullopt;
  auto Field = [&](size_t I) { return typedJson(V->Types->Fields[I], I, V->Typed); };
  json::Value Name = Field(0), Value = IsValue ? Field(1) : json::Value(nullptr);
  if (!Name.getAsString() || (IsValue && !Value.getAsInteger()))
    return std::nullopt;
  return Mark{Name.getAsString()->str(), Value.getAsInteger()};
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
