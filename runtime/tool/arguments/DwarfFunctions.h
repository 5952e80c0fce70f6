// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads functions' parameters, results and types from debug information, using
// LLVM's reader. Functions that are not looked up cost no memory.
#pragma once

#include "elf/ElfImage.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"

namespace patchbay {

class NameFilter;

/// A function that was inlined somewhere.
struct InlinedFunction {
  std::string Symbol;     // the symbol that it would have if it had a body
  size_t Places = 0;      // number of places where it was inlined
  llvm::DWARFDie First;   // one of these places
  /// "small", and "main (a.c:3)": the inlined function, and the function that
  /// contains it.
  std::string name() const;
  std::string into() const;
};

class DwarfFunctions {
public:
  /// Opens debug information of the image. If the image was stripped, searches for its
  /// debug file below each of Roots, as for its symbols. Fails without debug information.
  static llvm::Expected<std::unique_ptr<DwarfFunctions>>
  open(const ElfImage &Image, llvm::ArrayRef<std::string> Roots);
  /// The function at an address; invalid if unknown.
  llvm::DWARFDie at(uint64_t Entry) const;
  /// The .dwo file (-gsplit-dwarf) that describes the function at an address, if
  /// neither the file nor a package can be read. Otherwise empty.
  std::string missingFile(uint64_t Entry) const;
  /// The source location of the function at an address: "a.c:3"; empty if unknown.
  std::string sourceOf(uint64_t Entry) const;
  /// Inlined functions that match, in the order of the first place where each
  /// was inlined.
  std::vector<InlinedFunction> inlined(NameFilter &Filter) const;
  /// "f was inlined into main (a.c:3) and 2 more places", if Globs match an
  /// inlined function. Otherwise empty.
  std::string inlinedText(llvm::ArrayRef<std::string> Globs) const;

private:
  std::optional<ElfImage> Debug;
  std::unique_ptr<llvm::DWARFContext> Context;
};

/// A parameter as declared, in order. Location: the debug information entry that
/// describes its place; invalid if the compiler removed the parameter.
struct DwarfParameter {
  std::string Name; // "" if unnamed
  llvm::DWARFDie Type, Location;
};

std::vector<DwarfParameter> parametersOf(llvm::DWARFDie Function);

/// Invalid if Of has type void.
llvm::DWARFDie typeOf(llvm::DWARFDie Of);
/// The type without typedefs and qualifiers.
llvm::DWARFDie plainType(llvm::DWARFDie Type);
/// Returns 0 if the size is unknown.
uint64_t sizeOf(llvm::DWARFDie Type);
/// Pointers and references of both kinds.
bool isPointer(llvm::DWARFDie Type);
/// A struct, class or union.
bool isRecord(llvm::DWARFDie Type);
/// "S" for std::string of libstdc++, "L" for that of libc++; otherwise empty.
std::string stringKind(llvm::DWARFDie Type);
/// Offsets of the pointer and the length in a std::string_view, or in Rust's &str or
/// String.
struct DwarfView {
  uint64_t Text, Length;
};
/// std::nullopt for other types, and for views of other characters than char.
std::optional<DwarfView> viewOf(llvm::DWARFDie Type);
/// The type's kind in typed_spec.h, with enumerators. Empty if it is no scalar.
std::string scalarKind(llvm::DWARFDie Type);

struct DwarfMember {
  llvm::DWARFDie Type;
  uint64_t Offset;
  bool IsBitField;
};
/// Also searches base classes, and unnamed members.
std::optional<DwarfMember> memberOf(llvm::DWARFDie Record, llvm::StringRef Name);
/// The names of all members, for messages.
std::vector<std::string> memberNames(llvm::DWARFDie Record);

} // namespace patchbay
