// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TypedText.h"
#include "trace/format/format.h"
#include "trace/format/typed_spec.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace llvm;
using namespace patchbay;

static uint64_t narrowed(uint64_t Value, unsigned Size) {
  return Size < 8 ? Value & ((UINT64_C(1) << 8 * Size) - 1) : Value;
}

static int64_t extended(uint64_t Value, unsigned Size) {
  unsigned Unused = 64 - 8 * Size;
  return int64_t(Value << Unused) >> Unused;
}

static void addEnumerators(StringRef Text, TypedField &To) {
  SmallVector<StringRef> Pairs;
  Text.split(Pairs, '/', -1, /*KeepEmpty=*/false);
  for (StringRef Pair : Pairs) {
    auto [Name, Number] = Pair.split('=');
    int64_t Signed;
    uint64_t Unsigned;
    if (to_integer(Number, Unsigned))
      To.Enumerators.try_emplace(narrowed(Unsigned, To.Size), Name.str());
    else if (to_integer(Number, Signed))
      To.Enumerators.try_emplace(narrowed(Signed, To.Size), Name.str());
  }
}

// Parses NAME=KIND:SOURCE. Reads only the first letter of SOURCE; the recorder needs the
// rest.
static bool parseField(StringRef Text, TypedField &To) {
  auto [Name, Kind] = Text.split('=');
  if (Name.empty() || Kind.empty())
    return false;
  To.IsUnused = Name.consume_back("?");
  To.Name = Name.str();
  To.Kind = Kind[0];
  Kind = Kind.drop_front();
  To.Size = StringRef("bc").contains(To.Kind) ? 1 : To.Kind == 'f' ? 4 : 8;
  if (StringRef("iueEt").contains(To.Kind) &&
      (Kind.consumeInteger(10, To.Size) || !To.Size || To.Size > 64))
    return false;
  if (To.Kind != 't' && To.Size > 8)
    return false;
  if (Kind.consume_front("{")) {
    auto [Names, Rest] = Kind.split('}');
    addEnumerators(Names, To);
    Kind = Rest;
  }
  if (!Kind.consume_front(":") || Kind.empty())
    return false;
  To.IsResult = Kind[0] == 'v' || Kind[0] == 'd';
  return true;
}

std::vector<TypedField> patchbay::parseTypedFields(StringRef Text) {
  std::vector<TypedField> Fields;
  SmallVector<StringRef> Parts;
  Text.split(Parts, ';', PB_TYPED_VALUES, /*KeepEmpty=*/false);
  for (StringRef Part : Parts) {
    if (Part.starts_with("?"))
      continue;
    Part.consume_front("!");
    TypedField F;
    if (!parseField(Part, F))
      break;
    Fields.push_back(std::move(F));
  }
  return Fields;
}

static std::string quoted(StringRef Bytes) {
  std::string Text = "\"";
  raw_string_ostream OS(Text);
  for (unsigned char C : Bytes) {
    if (C == '"' || C == '\\')
      OS << '\\' << C;
    else if (C == '\n')
      OS << "\\n";
    else if (C == '\t')
      OS << "\\t";
    else if (C < ' ' || C == 127)
      OS << format("\\%03o", C);
    else
      OS << C;
  }
  return Text + "\"";
}

// The name of an enumerator, or the names of all set flags. std::nullopt if the value or a
// set flag has no name.
static std::optional<std::string> enumName(const TypedField &F,
                                           uint64_t Value) {
  if (auto Known = F.Enumerators.find(Value); Known != F.Enumerators.end())
    return Known->second;
  std::string Text;
  uint64_t Rest = Value;
  for (const auto &[Flag, Name] : F.Enumerators)
    if (isPowerOf2_64(Flag) && Value & Flag) {
      Text += (Text.empty() ? "" : "|") + Name;
      Rest &= ~Flag;
    }
  return Text.empty() || Rest ? std::nullopt : std::optional(Text);
}

static std::string enumText(const TypedField &F, uint64_t Value) {
  Value = narrowed(Value, F.Size);
  if (auto Name = enumName(F, Value))
    return *Name;
  return F.Kind == 'e' ? itostr(extended(Value, F.Size)) : utostr(Value);
}

static std::string charText(uint64_t Value) {
  char C = char(Value);
  if (C == '\'' || C == '\\')
    return std::string("'\\") + C + "'";
  if (isPrint(C))
    return std::string("'") + C + "'";
  return itostr(int8_t(C));
}

static std::string floatText(double Number) {
  std::string Text;
  raw_string_ostream(Text) << format("%g", Number);
  return Text;
}

static std::string numberText(const TypedField &F, uint64_t Value) {
  switch (F.Kind) {
  case 'i':
    return itostr(extended(Value, F.Size));
  case 'u':
    return utostr(narrowed(Value, F.Size));
  case 'b':
    return Value & 255 ? "true" : "false";
  case 'c':
    return charText(Value);
  case 'd':
    return floatText(bit_cast<double>(Value));
  case 'f':
    return floatText(double(bit_cast<float>(uint32_t(Value))));
  case 'e':
  case 'E':
    return enumText(F, Value);
  default:
    return Value ? "0x" + utohexstr(Value, /*LowerCase=*/true) : "NULL";
  }
}

json::Value patchbay::jsonNumber(double Number) {
  return std::isfinite(Number) ? json::Value(Number)
                               : json::Value(floatText(Number));
}

static json::Value numberJson(const TypedField &F, uint64_t Value) {
  switch (F.Kind) {
  case 'i':
    return extended(Value, F.Size);
  case 'u':
    return narrowed(Value, F.Size);
  case 'b':
    return (Value & 255) != 0;
  case 'c':
    if (isPrint(char(Value)))
      return std::string(1, char(Value));
    return int64_t(int8_t(Value));
  case 'd':
    return jsonNumber(bit_cast<double>(Value));
  case 'f':
    return jsonNumber(double(bit_cast<float>(uint32_t(Value))));
  case 'e':
  case 'E':
    if (auto Name = enumName(F, narrowed(Value, F.Size)))
      return json::fixUTF8(*Name);
    return F.Kind == 'e' ? json::Value(extended(Value, F.Size))
                         : json::Value(narrowed(Value, F.Size));
  default:
    if (!Value)
      return nullptr;
    return "0x" + utohexstr(Value, /*LowerCase=*/true);
  }
}

static std::string whyNone(const TypedPart &P) {
  switch (P.State) {
  case PBD_TYPED_UNREADABLE:
    return P.Word ? "unreadable: 0x" + utohexstr(P.Word, /*LowerCase=*/true)
                  : "unreadable";
  case PBD_TYPED_FILTERED:
    return "not read";
  case PBD_TYPED_NO_ROOM:
    return "not kept";
  default:
    return "unknown";
  }
}

namespace {
/// A value, assembled from the parts of its records.
struct Read {
  enum { Unknown, Null, Number, Bytes } Is = Unknown;
  uint64_t Word = 0;
  std::string Text; // the bytes, or why the value is unknown
  bool IsCut = false;
};
} // namespace

static Read readParts(size_t Number, ArrayRef<TypedPart> Parts) {
  Read R;
  for (const TypedPart &P : Parts) {
    if (P.Field != Number)
      continue;
    if (P.State == PBD_TYPED_NUMBER) {
      R.Is = Read::Number;
      R.Word = P.Word;
      return R;
    }
    if (P.State & PBD_TYPED_NULL) {
      R.Is = P.State == PBD_TYPED_NULL ? Read::Null : Read::Unknown;
      R.Text = whyNone(P);
      return R;
    }
    unsigned Size = P.State & 15;
    for (unsigned I = 0; I != std::min(Size, 8u); ++I)
      R.Text += char(P.Word >> 8 * I);
    if (P.State & (PBD_TYPED_LAST | PBD_TYPED_CUT)) {
      R.Is = Read::Bytes;
      R.IsCut = P.State & PBD_TYPED_CUT;
      return R;
    }
  }
  R.Text = "unknown";
  return R;
}

static std::string valueText(const TypedField &F, const Read &R) {
  switch (R.Is) {
  case Read::Number:
    return numberText(F, R.Word);
  case Read::Bytes:
    return quoted(R.Text) + (R.IsCut ? "..." : "");
  case Read::Null:
    return "NULL";
  default:
    return R.Text;
  }
}

// The reason why a call has no value for a field; empty if the call has a value.
static std::string whyUnknown(const TypedField &F, const Read &R) {
  if (F.IsUnused && R.Is != Read::Unknown)
    return "unused: " + valueText(F, R);
  return R.Is == Read::Unknown ? R.Text : "";
}

std::string patchbay::typedText(const TypedField &F, size_t Number,
                                ArrayRef<TypedPart> Parts) {
  Read R = readParts(Number, Parts);
  std::string Why = whyUnknown(F, R);
  return Why.empty() ? valueText(F, R) : "<" + Why + ">";
}

json::Value patchbay::typedJson(const TypedField &F, size_t Number,
                                ArrayRef<TypedPart> Parts) {
  Read R = readParts(Number, Parts);
  if (std::string Why = whyUnknown(F, R); !Why.empty())
    return json::Object{{"unknown", json::fixUTF8(Why)}};
  switch (R.Is) {
  case Read::Number:
    return numberJson(F, R.Word);
  case Read::Bytes:
    return json::fixUTF8(R.Text) + (R.IsCut ? "..." : "");
  default:
    return nullptr;
  }
}
