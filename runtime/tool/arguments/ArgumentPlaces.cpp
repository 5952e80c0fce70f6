// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ArgumentPlaces.h"
#include "elf/CodeForm.h"
#include "elf/Unwinder.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/DebugInfo/DWARF/LowLevel/DWARFExpression.h"

using namespace llvm;
using namespace patchbay;
using namespace llvm::dwarf;

namespace {

enum class WordClass { None, Integer, Float };

/// Eight bytes of a value, and the number of members in them.
struct PassedWord {
  WordClass Class = WordClass::None;
  unsigned Parts = 1;
};

/// How a value is passed: in registers, for each of its words, or in memory.
struct Passing {
  unsigned number(WordClass Class) const {
    return count_if(Words, [=](const PassedWord &W) { return W.Class == Class; });
  }

  enum { Registers, OnStack, ByAddress, Unknown } How = Unknown;
  std::vector<PassedWord> Words;
  uint64_t StackWords = 0;
};

/// Registers and stack words that arguments have used so far.
struct Taken {
  unsigned GP = 0, FP = 0, Stack = 0;
};

} // namespace

static bool isFloat(DWARFDie Type) {
  std::string Kind = scalarKind(Type);
  return Kind == "d" || Kind == "f";
}

// Classifies each eight bytes of a type by its members. Returns false if the type is
// unsupported, or if the whole value is in memory.
static bool classify(DWARFDie Type, uint64_t Offset, std::vector<PassedWord> &Words,
                     unsigned Depth = 0) {
  Type = plainType(Type);
  if (!Type || Depth == 16)
    return false;
  if (Type.getTag() == DW_TAG_array_type) {
    DWARFDie Element = typeOf(Type);
    uint64_t Size = sizeOf(Element);
    for (uint64_t At = 0; Size && At < sizeOf(Type); At += Size)
      if (!classify(Element, Offset + At, Words, Depth + 1))
        return false;
    return Size != 0;
  }
  if (isRecord(Type)) {
    for (DWARFDie D : Type.children()) {
      if (D.getTag() != DW_TAG_member && D.getTag() != DW_TAG_inheritance)
        continue;
      if (D.find(DW_AT_external)) // a static member
        continue;
      uint64_t At = toUnsigned(D.find(DW_AT_data_member_location), 0);
      if (auto Bit = D.find(DW_AT_data_bit_offset))
        At = toUnsigned(Bit, 0) / 8;
      if (!classify(typeOf(D), Offset + At, Words, Depth + 1))
        return false;
    }
    return true;
  }
  if (scalarKind(Type).empty() || Offset / 8 >= Words.size())
    return false;
  PassedWord &Word = Words[Offset / 8];
  Word.Parts += Word.Class != WordClass::None;
  if (!isFloat(Type))
    Word.Class = WordClass::Integer;
  else if (Word.Class == WordClass::None)
    Word.Class = WordClass::Float;
  return true;
}

// How a value is passed: System V Application Binary Interface, AMD64 Supplement, 3.2.3. C++
// classes with their own constructors are passed by address. Compilers mark such classes in
// debug information.
static Passing passingOf(DWARFDie Type, bool IsX86) {
  Passing P;
  Type = plainType(Type);
  if (!Type)
    return P;
  if (!isRecord(Type)) {
    if (scalarKind(Type).empty())
      return P;
    P.How = Passing::Registers;
    P.Words = {{isFloat(Type) ? WordClass::Float : WordClass::Integer}};
    return P;
  }
  uint64_t Size = sizeOf(Type);
  if (toUnsigned(Type.find(DW_AT_calling_convention), 0) ==
      DW_CC_pass_by_reference) {
    P.How = Passing::ByAddress;
    P.Words = {{WordClass::Integer}};
    return P;
  }
  if (!IsX86 || !Size)
    return P;
  P.StackWords = divideCeil(Size, 8);
  P.Words.assign(P.StackWords, {});
  P.How = Size <= 16 && classify(Type, 0, P.Words) ? Passing::Registers
                                                    : Passing::OnStack;
  // If the bytes are padding, or the value is empty, its location is unknown.
  if (P.How == Passing::Registers && P.number(WordClass::None))
    P.How = Passing::Unknown;
  return P;
}

static std::string source(char Letter, unsigned N) { return Letter + utostr(N); }

// Assigns registers or stack words to an argument.
static ArgumentPlace take(const Passing &P, Taken &T, unsigned MaxGP,
                          unsigned MaxFP) {
  ArgumentPlace Place;
  unsigned GP = P.number(WordClass::Integer), FP = P.number(WordClass::Float);
  bool InRegisters = P.How != Passing::OnStack && T.GP + GP <= MaxGP &&
                     T.FP + FP <= MaxFP;
  for (const PassedWord &W : P.Words)
    Place.Words.push_back(!InRegisters                    ? source('w', T.Stack++)
                          : W.Class == WordClass::Integer ? source('r', T.GP++)
                                                          : source('f', T.FP++));
  Place.IsAddress = P.How == Passing::ByAddress;
  return Place;
}

// The source for the argument register with this DWARF number: an integer or floating-point
// register.
static std::string registerSource(unsigned Number, uint16_t Machine) {
  if (Machine == ELF::EM_X86_64) {
    static constexpr unsigned GP[] = {5, 4, 1, 2, 8, 9};
    for (unsigned I = 0; I != std::size(GP); ++I)
      if (GP[I] == Number)
        return source('r', I);
    return Number >= 17 && Number < 25 ? source('f', Number - 17) : "";
  }
  unsigned First = Machine == ELF::EM_AARCH64 ? 0
                   : Machine == ELF::EM_RISCV ? 10
                                              : 3;
  return Number >= First && Number < First + 8 ? source('r', Number - First) : "";
}

namespace {
/// The location of a value at the function's entry, according to debug
/// information.
struct EntryLocation {
  enum { Registers, Elsewhere, Nowhere } How = Nowhere;
  std::vector<std::string> Sources; // one source for each eight bytes
};
} // namespace

// Reads DW_OP_regN, or a DW_OP_regN and a DW_OP_piece for each eight bytes. Returns an empty
// vector for other expressions, and if a piece has no location.
static std::vector<std::string> registersOf(ArrayRef<uint8_t> Expr,
                                            uint16_t Machine) {
  std::vector<std::string> Sources;
  while (!Expr.empty()) {
    std::string Source;
    if (Expr[0] >= DW_OP_reg0 && Expr[0] <= DW_OP_reg31)
      Source = registerSource(Expr[0] - DW_OP_reg0, Machine);
    if (Source.empty())
      return {};
    Sources.push_back(std::move(Source));
    Expr = Expr.drop_front();
    if (Expr.empty() && Sources.size() == 1)
      return Sources;
    // Sizes are ULEB128, so a small size has one byte.
    if (Expr.size() < 2 || Expr[0] != DW_OP_piece ||
        (Expr[1] != 8 && (Expr.size() != 2 || Expr[1] > 8)))
      return {};
    Expr = Expr.drop_front(2);
  }
  return Sources;
}

// The location that is valid at Address.
static EntryLocation locationAt(ArrayRef<DWARFLocationExpression> Locations,
                                uint64_t Address, uint16_t Machine) {
  EntryLocation Result;
  for (const DWARFLocationExpression &L : Locations) {
    // A location without a range is valid in the whole function. A location in the frame is
    // valid once the frame exists.
    if (L.Range && (Address < L.Range->LowPC || Address >= L.Range->HighPC))
      continue;
    Result.Sources = registersOf(L.Expr, Machine);
    Result.How = !Result.Sources.empty() ? EntryLocation::Registers
                 : L.Range               ? EntryLocation::Nowhere
                                         : EntryLocation::Elsewhere;
    return Result;
  }
  return Result;
}

// The location at the function's entry or, failing that, after the site, since the site changes
// no argument.
static EntryLocation locationOf(const DwarfParameter &P,
                                const SiteRecord &Record, uint16_t Machine) {
  if (!P.Location)
    return {};
  auto Locations = expectedToOptional(P.Location.getLocations(DW_AT_location));
  if (!Locations)
    return {};
  EntryLocation At = locationAt(*Locations, Record.Entry, Machine);
  if (At.How != EntryLocation::Nowhere)
    return At;
  return locationAt(*Locations, Record.Site + codeForm(Machine).siteSize(),
                    Machine);
}

// Sets Known for the words of a value whose location the expression describes.
static void addKnown(const DWARFLocationExpression &L, std::vector<bool> &Known) {
  uint64_t At = 0;
  bool HasPlace = false;
  const DWARFExpression Expression(littleEndian(toStringRef(L.Expr)), 8);
  for (const DWARFExpression::Operation &Op : Expression) {
    if (Op.isError())
      return;
    if (Op.getCode() != DW_OP_piece) {
      HasPlace = true;
      continue;
    }
    const uint64_t End = SaturatingAdd(At, Op.getRawOperand(0));
    for (uint64_t I = At / 8; HasPlace && I < divideCeil(End, 8) && I < Known.size(); ++I)
      Known[I] = true;
    At = End;
    HasPlace = false;
  }
  if (HasPlace && !At)
    Known.assign(Known.size(), true);
}

// Finds the words of an argument that the function does not use: debug information has no
// location for them. If the compiler knows all callers, callers do not pass these words, and the
// registers have arbitrary values.
static std::vector<WordUse> usesOf(const DwarfParameter &P, ArrayRef<PassedWord> Words) {
  std::vector<bool> Known(Words.size());
  if (P.Location && P.Location.find(DW_AT_const_value)) {
    Known.assign(Words.size(), true);
  } else if (P.Location && P.Location.find(DW_AT_location)) {
    auto Locations = P.Location.getLocations(DW_AT_location);
    if (Locations)
      for (const DWARFLocationExpression &L : *Locations)
        addKnown(L, Known);
    else
      consumeError(Locations.takeError());
  }
  std::vector<WordUse> Uses;
  for (auto [Word, IsKnown] : zip(Words, Known))
    Uses.push_back(IsKnown          ? WordUse::Used
                   : Word.Parts > 1 ? WordUse::Unknown
                                    : WordUse::Unused);
  return Uses;
}

static void placeResult(FunctionPlaces &F, const SiteRecord &Record,
                        uint16_t Machine) {
  unsigned Kind = Record.Raw.flags & PATCHBAY_RECORD_RETURN_MASK;
  ArgumentPlace &Place = F.Result;
  if (!F.ResultType)
    Place.Why = "it returns nothing";
  else if (Record.Raw.flags & PATCHBAY_RECORD_SRET) {
    Place.IsAddress = true;
    if (Machine == ELF::EM_X86_64)
      Place.Words = {"v0"};
    else
      Place.Why = "its place in memory is unknown on this architecture";
  } else if (isRecord(plainType(F.ResultType))) {
    Passing P = passingOf(F.ResultType, Machine == ELF::EM_X86_64);
    if (P.How == Passing::Registers && Kind == PATCHBAY_RECORD_RETURN_GP)
      for (unsigned I = 0; I != P.Words.size(); ++I)
        Place.Words.push_back(source('v', I));
    else
      Place.Why = "it is a structure in registers of several kinds";
  } else if (isFloat(F.ResultType) && Kind == PATCHBAY_RECORD_RETURN_FP)
    Place.Words = {"d0"};
  else if (!isFloat(F.ResultType) && Kind == PATCHBAY_RECORD_RETURN_GP)
    Place.Words = {"v0"};
  else
    Place.Why = "the compiler has removed it";
}

FunctionPlaces patchbay::placesOf(DWARFDie Function, const SiteRecord &Record,
                                  uint16_t Machine) {
  const bool IsX86 = Machine == ELF::EM_X86_64;
  FunctionPlaces F;
  F.Parameters = parametersOf(Function);
  const bool IsSRet = Record.Raw.flags & PATCHBAY_RECORD_SRET;
  F.LacksParameters =
      F.Parameters.empty() && !(Record.Raw.flags & PATCHBAY_RECORD_UNKNOWN_ARGS) &&
      Record.Raw.gp_args + Record.Raw.fp_args + Record.Raw.stack_arg_words > IsSRet;
  F.ResultType = plainType(typeOf(Function));
  placeResult(F, Record, Machine);

  Taken T;
  std::vector<Passing> Passed;
  bool IsKnown = true;
  if (IsSRet && Machine != ELF::EM_AARCH64)
    ++T.GP;
  for (const DwarfParameter &P : F.Parameters) {
    const Passing &How = Passed.emplace_back(passingOf(P.Type, IsX86));
    ArgumentPlace Place = take(How, T, IsX86 ? 6 : 8, 8);
    IsKnown &= How.How != Passing::Unknown;
    // Use floating-point and stack arguments only on x86-64: the rules of other architectures
    // differ and are not tested.
    IsKnown &= IsX86 || (!T.FP && !T.Stack);
    F.Places.push_back(std::move(Place));
  }
  // Compare with the record, which has the actual numbers of arguments: the compiler made it
  // from the function's code.
  bool Agrees = IsKnown && T.GP == Record.Raw.gp_args &&
                T.FP == Record.Raw.fp_args &&
                T.Stack == Record.Raw.stack_arg_words &&
                toUnsigned(Function.find(DW_AT_calling_convention), 0) !=
                    DW_CC_nocall;
  bool External = toUnsigned(Function.findRecursively(DW_AT_external), 0);
  for (size_t I = 0; I != F.Places.size(); ++I) {
    ArgumentPlace &Place = F.Places[I];
    EntryLocation At = locationOf(F.Parameters[I], Record, Machine);
    // In an internal function, use only locations that debug information confirms: the compiler
    // knows all callers, so they may pass different values in the registers.
    bool IsThere = At.How == EntryLocation::Registers &&
                   all_of(At.Sources, [&](const std::string &Source) {
                     return is_contained(Place.Words, Source);
                   });
    if (Agrees && (External || At.How == EntryLocation::Elsewhere || IsThere)) {
      Place.Uses = usesOf(F.Parameters[I], Passed[I].Words);
      continue;
    }
    if (At.How == EntryLocation::Registers &&
        At.Sources.size() == std::max<size_t>(Place.Words.size(), 1))
      Place.Words = At.Sources;
    else if (Place.Words.empty() && !IsX86 &&
             isRecord(plainType(F.Parameters[I].Type)))
      Place.Why = "structures passed by value are recorded on x86-64 only";
    else
      Place.Why = "it was optimised away, or debug information does not say where it is at the "
                  "function's entry";
  }
  for (ArgumentPlace &Place : F.Places)
    for (const std::string &Word : Place.Words)
      if (Word[0] == 'f' && !IsX86 && Place.Why.empty())
        Place.Why = "floating-point arguments are recorded on x86-64 only";
  return F;
}
