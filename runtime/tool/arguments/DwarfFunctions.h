// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads functions' parameters, results and types from debug information through LLVM's reader.
// Reads only functions that are looked up, to save memory.
#pragma once

#include "elf/ElfImage.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"

namespace patchbay {

class NameFilter;

/// A function that was inlined into at least one function.
struct InlinedFunction {
  std::string Symbol;     // the symbol, although the function may have no body
  size_t Places = 0;      // number of inlined copies
  llvm::DWARFDie First;   // one inlined copy
  /// name(): the inlined function, "small". into(): the function that contains the copy,
  /// "main (a.c:3)".
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
  /// If the .dwo file (-gsplit-dwarf) that describes the function at an address is missing, and
  /// no package has it: the file's path. Otherwise empty.
  std::string missingFile(uint64_t Entry) const;
  /// The source location of the function at an address: "a.c:3"; empty if unknown.
  std::string sourceOf(uint64_t Entry) const;
  /// Inlined functions that match, in the order of their first inlined copies.
  std::vector<InlinedFunction> inlined(NameFilter &Filter) const;
  /// "f was inlined into main (a.c:3) and 2 more places", for an inlined function that matches
  /// Globs. Empty if no inlined function matches.
  std::string inlinedText(llvm::ArrayRef<std::string> Globs) const;

private:
  std::optional<ElfImage> Debug;
  std::unique_ptr<llvm::DWARFContext> Context;
};

/// A declared parameter. Location: the debug information entry with its location; invalid if the
/// compiler removed the parameter.
struct DwarfParameter {
  std::string Name; // "" if unnamed
  llvm::DWARFDie Type, Location;
};

std::vector<DwarfParameter> parametersOf(llvm::DWARFDie Function);

/// The type of Of; invalid if that is void.
llvm::DWARFDie typeOf(llvm::DWARFDie Of);
/// The type without typedefs and qualifiers.
llvm::DWARFDie plainType(llvm::DWARFDie Type);
/// The size in bytes; 0 if unknown.
uint64_t sizeOf(llvm::DWARFDie Type);
/// Is the type a pointer, or a reference of either kind?
bool isPointer(llvm::DWARFDie Type);
/// Is the type a struct, class or union?
bool isRecord(llvm::DWARFDie Type);
/// "S" for libstdc++'s std::string, "L" for libc++'s; otherwise empty.
std::string stringKind(llvm::DWARFDie Type);
/// Offsets of the pointer and the length in a std::string_view, or in Rust's &str or
/// String.
struct DwarfView {
  uint64_t Text, Length;
};
/// std::nullopt for other types, and for views of other characters than char.
std::optional<DwarfView> viewOf(llvm::DWARFDie Type);
/// The type's kind in typed_spec.h, with enumerators. Empty if the type is no scalar.
std::string scalarKind(llvm::DWARFDie Type);

struct DwarfMember {
  llvm::DWARFDie Type;
  uint64_t Offset;
  bool IsBitField;
};
/// Finds a member of Record, its base classes, or its unnamed members.
std::optional<DwarfMember> memberOf(llvm::DWARFDie Record, llvm::StringRef Name);
/// The names of all members, for messages.
std::vector<std::string> memberNames(llvm::DWARFDie Record);

} // namespace patchbay
