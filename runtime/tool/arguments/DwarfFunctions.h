// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads functions' parameters, results and types from debug information, by
// LLVM's reader. Keeps nothing about functions that are not looked up.
#pragma once

#include "elf/ElfImage.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"

namespace patchbay {

class NameFilter;

/// A function that was inlined somewhere.
struct InlinedFunction {
  std::string Symbol;     // its symbol if it had a body
  size_t Places = 0;      // number of places where it was inlined
  llvm::DWARFDie First;   // one of these
  /// "small", and "main (a.c:3)".
  std::string name() const;
  std::string into() const;
};

class DwarfFunctions {
public:
  /// Opens debug information of the image. If the image was stripped, looks for its debug
  /// file below each of Roots, as for its symbols. Fails if there is none.
  static llvm::Expected<std::unique_ptr<DwarfFunctions>>
  open(const ElfImage &Image, llvm::ArrayRef<std::string> Roots);
  /// The function at an address; invalid if unknown.
  llvm::DWARFDie at(uint64_t Entry) const;
  /// The .dwo file (-gsplit-dwarf) that describes the function at an address, if
  /// neither it nor a package can be read; otherwise empty.
  std::string missingFile(uint64_t Entry) const;
  /// The source location of the function at an address: "a.c:3"; empty if unknown.
  std::string sourceOf(uint64_t Entry) const;
  /// Functions that were inlined and match, in the order of their first places.
  std::vector<InlinedFunction> inlined(NameFilter &Filter) const;
  /// "f was inlined into main (a.c:3) and 2 more places", if Globs match a
  /// function that was inlined. Otherwise empty.
  std::string inlinedText(llvm::ArrayRef<std::string> Globs) const;

private:
  std::optional<ElfImage> Debug;
  std::unique_ptr<llvm::DWARFContext> Context;
};

/// A parameter as declared, in order. Location: the entry that describes its place,
/// invalid if the compiler removed the parameter.
struct DwarfParameter {
  std::string Name; // "" if unnamed
  llvm::DWARFDie Type, Location;
};

std::vector<DwarfParameter> parametersOf(llvm::DWARFDie Function);

/// Invalid: void.
llvm::DWARFDie typeOf(llvm::DWARFDie Of);
/// Without typedefs, qualifiers and the like.
llvm::DWARFDie plainType(llvm::DWARFDie Type);
/// 0 if unknown.
uint64_t sizeOf(llvm::DWARFDie Type);
/// A pointer, or a reference of either kind.
bool isPointer(llvm::DWARFDie Type);
/// A struct, class or union.
bool isRecord(llvm::DWARFDie Type);
/// "S" and "L" for std::string of libstdc++ and libc++; else empty.
std::string stringKind(llvm::DWARFDie Type);
/// Where a std::string_view, or Rust's &str or String, has its pointer and its length.
struct DwarfView {
  uint64_t Text, Length; // offsets
};
/// Nothing for other types, and for views of other characters than char.
std::optional<DwarfView> viewOf(llvm::DWARFDie Type);
/// Its kind in typed_spec.h, with enumerators; empty for other types.
std::string scalarKind(llvm::DWARFDie Type);

struct DwarfMember {
  llvm::DWARFDie Type;
  uint64_t Offset;
  bool IsBitField;
};
/// Also searches base classes, and unnamed members.
std::optional<DwarfMember> memberOf(llvm::DWARFDie Record, llvm::StringRef Name);
/// Names of members, for messages.
std::vector<std::string> memberNames(llvm::DWARFDie Record);

} // namespace patchbay
