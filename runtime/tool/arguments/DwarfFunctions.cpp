// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DwarfFunctions.h"
#include "names/NameFilter.h"
#include "names/NameForms.h"
#include "names/SymbolFiles.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/DebugInfo/DWARF/DWARFCompileUnit.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace llvm;
using namespace patchbay;
using namespace llvm::dwarf;

// Limits recursion in damaged data, such as a typedef or a struct that contains itself.
static constexpr unsigned MostSteps = 64;
// Number of enumerators that are kept for each enumeration. Further enumerators are shown as
// numbers.
static constexpr size_t MostEnumerators = 256;

static std::unique_ptr<DWARFContext> contextOf(const ElfImage &Image) {
  // Ignore errors, since damaged data is detected when it is read. With -gsplit-dwarf, the data
  // is in a package beside the file, or in the .dwo files that the file names.
  auto Ignore = [](Error E) { consumeError(std::move(E)); };
  auto Context = DWARFContext::create(
      Image.object(), DWARFContext::ProcessDebugRelocations::Ignore, nullptr,
      Image.path() + ".dwp", Ignore, Ignore);
  return Context->getNumCompileUnits() ? std::move(Context) : nullptr;
}

Expected<std::unique_ptr<DwarfFunctions>>
DwarfFunctions::open(const ElfImage &Image, ArrayRef<std::string> Roots) {
  auto Result = std::make_unique<DwarfFunctions>();
  Result->Context = contextOf(Image);
  if (Result->Context)
    return Result;
  std::string BuildId = toStringRef(Image.buildId()).str();
  std::vector<std::string> Files;
  for (const std::string &Root : Roots)
    append_range(Files, debugFiles(&Image, Image.path(), BuildId, Root));
  if (std::string Asked = askDebuginfod(BuildId); !Asked.empty())
    Files.push_back(Asked);
  for (const std::string &Path : Files) {
    auto Debug = ElfImage::open(Path);
    if (!Debug || !belongsTo(*Debug, &Image, BuildId)) {
      consumeError(Debug.takeError());
      continue;
    }
    Result->Debug = std::move(*Debug);
    Result->Context = contextOf(*Result->Debug);
    if (Result->Context)
      return Result;
  }
  return makeError(Image.path() + ": has no debug information, which describes "
                                  "arguments: compile with -g");
}

DWARFDie DwarfFunctions::at(uint64_t Entry) const {
  auto Dies = Context->getDIEsForAddress(Entry, /*CheckDWO=*/true);
  // Take the function itself, rather than a function that was inlined at its entry.
  return Dies.FunctionDIE;
}

std::string DwarfFunctions::missingFile(uint64_t Entry) const {
  DWARFCompileUnit *Unit = Context->getCompileUnitForCodeAddress(Entry);
  if (!Unit || !Unit->getDWOId() || Unit->getNonSkeletonUnitDIE().getDwarfUnit()->isDWOUnit())
    return "";
  return toString(Unit->getUnitDIE().find({DW_AT_dwo_name, DW_AT_GNU_dwo_name}), "");
}

std::string DwarfFunctions::sourceOf(uint64_t Entry) const {
  auto Info = Context->getLineInfoForAddress(
      {Entry, object::SectionedAddress::UndefSection},
      {DILineInfoSpecifier::FileLineInfoKind::BaseNameOnly, DINameKind::None});
  if (!Info || !*Info || !Info->Line)
    return "";
  return Info->FileName + ":" + utostr(Info->Line);
}

// The symbol of a function. An inlined function without a body also has a symbol name.
static std::string symbolOf(DWARFDie Function) {
  const char *Name = Function.getLinkageName();
  Name = Name ? Name : Function.getShortName();
  return Name ? Name : "";
}

// The source line of the call: "a.c:3".
static std::string callOf(DWARFDie Inlined) {
  uint32_t File = 0, Line = 0, Column = 0, Discriminator = 0;
  Inlined.getCallerFrame(File, Line, Column, Discriminator);
  DWARFUnit *Unit = Inlined.getDwarfUnit()->getLinkedUnit();
  if (!Unit)
    return "?";
  const DWARFDebugLine::LineTable *Lines = Unit->getContext().getLineTableForUnit(Unit);
  std::string Name;
  if (!Lines ||
      !Lines->getFileNameByIndex(
          File, "", DILineInfoSpecifier::FileLineInfoKind::BaseNameOnly, Name))
    return "?";
  return Name + ":" + utostr(Line);
}

std::string InlinedFunction::name() const { return plainName(demangle(Symbol)); }

std::string InlinedFunction::into() const {
  DWARFDie Caller = First.getParent();
  while (Caller && Caller.getTag() != DW_TAG_subprogram)
    Caller = Caller.getParent();
  return plainName(demangle(symbolOf(Caller))) + " (" + callOf(First) + ")";
}

std::vector<InlinedFunction> DwarfFunctions::inlined(NameFilter &Filter) const {
  std::vector<InlinedFunction> Found;
  constexpr size_t None = SIZE_MAX;
  StringMap<size_t> BySymbol;          // index in Found
  // By debug information entry of the function. None: the name does not match.
  DenseMap<const DWARFDebugInfoEntry *, size_t> ByEntry;
  for (const std::unique_ptr<DWARFUnit> &Unit : Context->compile_units()) {
    DWARFUnit *Whole = Unit->getNonSkeletonUnitDIE().getDwarfUnit();
    for (const DWARFDebugInfoEntry &Entry : Whole->dies()) {
      DWARFDie Die(Whole, &Entry);
      if (Die.getTag() != DW_TAG_inlined_subroutine)
        continue;
      DWARFDie Origin = Die.getAttributeValueAsReferencedDie(DW_AT_abstract_origin);
      if (!Origin)
        continue;
      auto [At, IsNew] = ByEntry.try_emplace(Origin.getDebugInfoEntry(), None);
      if (IsNew) {
        std::string Symbol = symbolOf(Origin);
        if (Filter.match({StringRef(Symbol)}) != NameFilter::None) {
          At->second = BySymbol.try_emplace(Symbol, Found.size()).first->second;
          if (At->second == Found.size())
            Found.push_back({Symbol, 0, Die});
        }
      }
      if (At->second != None)
        ++Found[At->second].Places;
    }
  }
  return Found;
}

std::string DwarfFunctions::inlinedText(ArrayRef<std::string> Globs) const {
  NameFilter Filter(Globs);
  std::vector<InlinedFunction> Found = inlined(Filter);
  if (Found.empty())
    return "";
  size_t More = 0;
  for (const InlinedFunction &F : Found)
    More += F.Places;
  std::string Text = Found.front().name() + " was inlined into " + Found.front().into();
  if (--More)
    Text += " and " + utostr(More) + (More == 1 ? " more place" : " more places");
  return Text;
}

DWARFDie patchbay::typeOf(DWARFDie Of) {
  auto Type = Of.findRecursively(DW_AT_type);
  return Type ? Of.getAttributeValueAsReferencedDie(*Type) : DWARFDie();
}

std::vector<DwarfParameter> patchbay::parametersOf(DWARFDie Function) {
  auto IsParameter = [](DWARFDie D) {
    return D.getTag() == DW_TAG_formal_parameter;
  };
  // If the function was also inlined, this copy refers to an abstract instance, which declares
  // the parameters.
  DWARFDie Declared = Function;
  if (auto Origin = Function.getAttributeValueAsReferencedDie(DW_AT_abstract_origin))
    Declared = Origin;
  std::vector<DwarfParameter> Result;
  for (DWARFDie D : Declared.children()) {
    if (!IsParameter(D))
      continue;
    DwarfParameter P;
    const char *Name = D.getName(DINameKind::ShortName);
    P.Name = Name ? Name : "";
    P.Type = typeOf(D);
    if (Declared == Function)
      P.Location = D;
    else
      for (DWARFDie Here : Function.children())
        if (IsParameter(Here) &&
            Here.getAttributeValueAsReferencedDie(DW_AT_abstract_origin) == D)
          P.Location = Here;
    Result.push_back(std::move(P));
  }
  return Result;
}

DWARFDie patchbay::plainType(DWARFDie Type) {
  for (unsigned I = 0; Type && I != MostSteps; ++I)
    switch (Type.getTag()) {
    case DW_TAG_typedef:
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
    case DW_TAG_restrict_type:
    case DW_TAG_atomic_type:
      Type = typeOf(Type);
      break;
    default:
      return Type;
    }
  return DWARFDie();
}

static uint64_t unsignedOf(DWARFDie D, Attribute Of, uint64_t Otherwise) {
  return toUnsigned(D.find(Of), Otherwise);
}

static uint64_t sizeWithin(DWARFDie Type, unsigned Depth) {
  Type = plainType(Type);
  if (!Type || Depth == MostSteps)
    return 0;
  if (isPointer(Type))
    return 8;
  if (Type.getTag() == DW_TAG_array_type) {
    uint64_t Count = 1;
    for (DWARFDie D : Type.children())
      if (D.getTag() == DW_TAG_subrange_type)
        Count *= unsignedOf(D, DW_AT_count,
                            unsignedOf(D, DW_AT_upper_bound, UINT64_MAX) + 1);
    return Count * sizeWithin(typeOf(Type), Depth + 1);
  }
  return unsignedOf(Type, DW_AT_byte_size, 0);
}

uint64_t patchbay::sizeOf(DWARFDie Type) { return sizeWithin(Type, 0); }

bool patchbay::isPointer(DWARFDie Type) {
  return Type && is_contained({DW_TAG_pointer_type, DW_TAG_reference_type,
                               DW_TAG_rvalue_reference_type},
                              Type.getTag());
}

bool patchbay::isRecord(DWARFDie Type) {
  return Type && is_contained({DW_TAG_structure_type, DW_TAG_class_type,
                               DW_TAG_union_type},
                              Type.getTag());
}

static StringRef nameOf(DWARFDie D) {
  const char *Name = D ? D.getName(DINameKind::ShortName) : nullptr;
  return Name ? Name : "";
}

// Checks the inner namespace of the type: std::__cxx11 in libstdc++, std::__1 in libc++.
std::string patchbay::stringKind(DWARFDie Type) {
  Type = plainType(Type);
  if (!isRecord(Type) || !nameOf(Type).starts_with("basic_string<char,"))
    return "";
  DWARFDie Space = Type.getParent();
  if (nameOf(Space) == "__1" && sizeOf(Type) == 24)
    return "L";
  return nameOf(Space) == "__cxx11" && sizeOf(Type) == 32 ? "S" : "";
}

static bool isSigned(DWARFDie Base) {
  return is_contained({DW_ATE_signed, DW_ATE_signed_char},
                      int(unsignedOf(Base, DW_AT_encoding, 0)));
}

static bool isChar(DWARFDie Type) {
  Type = plainType(Type);
  return Type && Type.getTag() == DW_TAG_base_type && nameOf(Type) == "char";
}

static std::string baseKind(DWARFDie Type, uint64_t Size) {
  switch (unsignedOf(Type, DW_AT_encoding, 0)) {
  case DW_ATE_boolean:
    return Size == 1 ? "b" : "u" + utostr(Size);
  case DW_ATE_float:
    return Size == 8 ? "d" : Size == 4 ? "f" : "";
  case DW_ATE_signed:
  case DW_ATE_signed_char:
    return isChar(Type) ? "c" : "i" + utostr(Size);
  case DW_ATE_unsigned:
  case DW_ATE_unsigned_char:
  case DW_ATE_UTF:
    return isChar(Type) ? "c" : "u" + utostr(Size);
  default:
    return "";
  }
}

static std::string enumKind(DWARFDie Type, uint64_t Size) {
  DWARFDie Base = plainType(typeOf(Type));
  bool Signed = Base && isSigned(Base);
  std::string Names;
  size_t N = 0;
  for (DWARFDie D : Type.children()) {
    if (D.getTag() != DW_TAG_enumerator || nameOf(D).empty())
      continue;
    auto Value = D.find(DW_AT_const_value);
    if (!Value || ++N > MostEnumerators)
      continue;
    std::string Number =
        Signed ? itostr(toSigned(Value, 0)) : utostr(toUnsigned(Value, 0));
    Names += (Names.empty() ? "" : "/") + nameOf(D).str() + "=" + Number;
  }
  return (Signed ? "e" : "E") + utostr(Size) +
         (Names.empty() ? "" : "{" + Names + "}");
}

std::string patchbay::scalarKind(DWARFDie Type) {
  Type = plainType(Type);
  if (!Type)
    return "";
  if (isPointer(Type)) {
    bool IsText = Type.getTag() == DW_TAG_pointer_type && isChar(typeOf(Type));
    return IsText ? "s" : "x";
  }
  uint64_t Size = sizeOf(Type);
  if (!is_contained({1u, 2u, 4u, 8u}, Size))
    return "";
  if (Type.getTag() == DW_TAG_base_type)
    return baseKind(Type, Size);
  if (Type.getTag() == DW_TAG_enumeration_type)
    return enumKind(Type, Size);
  return "";
}

// The offset of a nested member, such as "vec.len".
static std::optional<uint64_t> offsetOf(DWARFDie Record, StringRef Path) {
  uint64_t Offset = 0;
  while (!Path.empty()) {
    auto [Name, Rest] = Path.split('.');
    auto M = isRecord(Record) ? memberOf(Record, Name) : std::nullopt;
    if (!M)
      return std::nullopt;
    Offset += M->Offset;
    Record = plainType(M->Type);
    Path = Rest;
  }
  return Offset;
}

// Finds the pointer and the length in Rust's &str, and in the vector of String.
static std::optional<DwarfView> rustViewOf(DWARFDie Type) {
  StringRef Text, Length;
  if (is_contained({"&str", "&mut str"}, nameOf(Type))) {
    Text = "data_ptr";
    Length = "length";
  } else if (nameOf(Type) == "String" && nameOf(Type.getParent()) == "string") {
    Text = "vec.buf.inner.ptr.pointer.pointer";
    Length = "vec.len";
  } else {
    return std::nullopt;
  }
  auto TextAt = offsetOf(Type, Text), LengthAt = offsetOf(Type, Length);
  if (!TextAt || !LengthAt)
    return std::nullopt;
  return DwarfView{*TextAt, *LengthAt};
}

// The order of members differs: libstdc++ has the length first, libc++ has the pointer first.
std::optional<DwarfView> patchbay::viewOf(DWARFDie Type) {
  Type = plainType(Type);
  if (!isRecord(Type))
    return std::nullopt;
  if (auto View = rustViewOf(Type))
    return View;
  StringRef Name = nameOf(Type), Space = nameOf(Type.getParent());
  if (!Name.consume_front("basic_string_view") ||
      !(Name.empty() || Name[0] == '<') ||
      (Space != "std" && !Space.starts_with("__")))
    return std::nullopt;
  std::optional<uint64_t> Text, Length;
  for (DWARFDie D : Type.children()) {
    if (D.getTag() != DW_TAG_member || D.find(DW_AT_external))
      continue;
    std::string Kind = scalarKind(typeOf(D));
    uint64_t Offset = unsignedOf(D, DW_AT_data_member_location, 0);
    if (Kind == "s")
      Text = Offset;
    else if (Kind == "u8")
      Length = Offset;
  }
  if (!Text || !Length)
    return std::nullopt;
  return DwarfView{*Text, *Length};
}

static std::optional<DwarfMember> findMember(DWARFDie Record, StringRef Name,
                                             unsigned Depth) {
  if (Depth == MostSteps)
    return std::nullopt;
  for (DWARFDie D : Record.children()) {
    bool IsBase = D.getTag() == DW_TAG_inheritance;
    if (!IsBase && D.getTag() != DW_TAG_member)
      continue;
    uint64_t Offset = unsignedOf(D, DW_AT_data_member_location, 0);
    if (!IsBase && nameOf(D) == Name)
      return DwarfMember{typeOf(D), Offset, D.find(DW_AT_bit_size).has_value()};
    if (!IsBase && !nameOf(D).empty())
      continue;
    DWARFDie Inner = plainType(typeOf(D));
    // Skip virtual bases, whose offsets are stored only in the object.
    if (!isRecord(Inner) || D.find(DW_AT_virtuality))
      continue;
    if (auto Found = findMember(Inner, Name, Depth + 1)) {
      Found->Offset += Offset;
      return Found;
    }
  }
  return std::nullopt;
}

std::optional<DwarfMember> patchbay::memberOf(DWARFDie Record, StringRef Name) {
  return findMember(Record, Name, 0);
}

std::vector<std::string> patchbay::memberNames(DWARFDie Record) {
  std::vector<std::string> Names;
  for (DWARFDie D : Record.children())
    if (D.getTag() == DW_TAG_member && !nameOf(D).empty())
      Names.push_back(nameOf(D).str());
  return Names;
}
